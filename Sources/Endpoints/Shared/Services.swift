package import Identity
package import Routing
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
    /// Nil where nobody is told what ends.
    package let revocations: RevocationFeed?
    package let keys: LoopSlot<KeyRing?>
    package let federation: Federation
    package let codes: AuthorizationCodes
    package let notices: ProviderNotices
    package let confirmations: Confirmations
    /// What gives out tokens by the grants of OAuth.
    package let authorization: AuthorizationServer
    /// The team's own app, for which protocols that know no clients act.
    package let app: Client
    /// Whose pages may act for their users.
    package let pages: PageOrigins
    package let look: PageLook
    /// For the readiness check only.
    package let clock: ClockTolerance
    /// For the readiness check only.
    package let redis: RedisConnection
    /// For the readiness check only.
    package let postgres: PostgresPool

    package init(
        accounts: Accounts, sessions: Sessions, accessTokens: AccessTokens, introspection: Introspection,
        clients: ClientRegistry, clientRefusals: ClientRefusals, revocations: RevocationFeed?, keys: LoopSlot<KeyRing?>,
        federation: Federation,
        codes: AuthorizationCodes, notices: ProviderNotices,
        confirmations: Confirmations, authorization: AuthorizationServer, app: Client, pages: PageOrigins,
        look: PageLook = .plain,
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
        self.revocations = revocations
        self.keys = keys
        self.federation = federation
        self.codes = codes
        self.notices = notices
        self.confirmations = confirmations
        self.authorization = authorization
        self.app = app
        self.pages = pages
        self.look = look
        self.clock = clock
        self.redis = redis
        self.postgres = postgres
    }
}
