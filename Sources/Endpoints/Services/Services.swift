package import Identity
package import Redis
package import Postgres

/// The parts of one loop, as the APIs need them.
package final class Services: Sendable {
    package let accounts: Accounts
    package let sessions: Sessions
    package let accessTokens: AccessTokens
    package let introspection: Introspection
    package let clients: ClientRegistry
    package let clientRefusals: ClientRefusals
    package let keys: LoopSlot<KeyRing?>
    package let federation: Federation
    package let codes: AuthorizationCodes
    package let notices: ProviderNotices
    /// Whether the client's word for who somebody is at a provider is enough: for demonstrations, never for the public.
    package let believesUnprovedIdentities: Bool
    package let restAuth: RestAuthServices
    package let appOptions: AppOptions
    package let confirmations: Confirmations
    /// Whether somebody who signs up in the app API gets a mail to confirm the address.
    package let mailsVerification: Bool
    /// The team's own app, for which protocols that know no clients act.
    package let app: Client
    /// For the APIs whose clients keep cookies.
    package let cookies: CookiePolicy
    /// For the readiness check only.
    package let clock: ClockTolerance
    /// For the readiness check only.
    package let redis: RedisConnection
    /// For the readiness check only.
    package let postgres: PostgresPool

    package init(
        accounts: Accounts, sessions: Sessions, accessTokens: AccessTokens, introspection: Introspection,
        clients: ClientRegistry, clientRefusals: ClientRefusals, keys: LoopSlot<KeyRing?>, federation: Federation,
        codes: AuthorizationCodes, notices: ProviderNotices,
        restAuth: RestAuthServices, appOptions: AppOptions = AppOptions(), confirmations: Confirmations,
        mailsVerification: Bool = true,
        believesUnprovedIdentities: Bool = false, app: Client, cookies: CookiePolicy,
        clock: ClockTolerance,
        redis: RedisConnection,
        postgres: PostgresPool
    ) {
        self.accounts = accounts
        self.sessions = sessions
        self.accessTokens = accessTokens
        self.introspection = introspection
        self.clients = clients
        self.clientRefusals = clientRefusals
        self.keys = keys
        self.federation = federation
        self.codes = codes
        self.notices = notices
        self.believesUnprovedIdentities = believesUnprovedIdentities
        self.restAuth = restAuth
        self.appOptions = appOptions
        self.confirmations = confirmations
        self.mailsVerification = mailsVerification
        self.app = app
        self.cookies = cookies
        self.clock = clock
        self.redis = redis
        self.postgres = postgres
    }
}
