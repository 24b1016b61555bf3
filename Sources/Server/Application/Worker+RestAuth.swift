import Endpoints
import Identity
import Postgres
import Redis

extension Worker {
    /// What the rest-auth door needs beside the rooms that all doors share.
    static func restAuth(
        _ shared: SharedParts, accounts: Accounts, postgres: PostgresPool, redis: RedisConnection
    ) -> RestAuthServices {
        let profiles = ProfileStore(pool: postgres, ambience: shared.ambience)
        var options = shared.configuration.restAuth
        options.site = shared.configuration.issuer
        return RestAuthServices(
            options: options, client: shared.restAuth, profiles: profiles,
            confirmations: Confirmations(
                accounts: accounts, profiles: profiles, codes: OneTimeCodeStore(redis: redis),
                outbox: MailOutbox(pool: postgres, seal: shared.mailSeal)),
            tokens: shared.sharedSecretTokens, ambience: shared.ambience)
    }
}
