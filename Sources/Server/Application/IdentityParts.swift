import Identity
import Logging
import Networking
import Postgres
import Redis

/// The parts of one loop that the others build on: clients, tokens, sessions, accounts.
struct IdentityParts: Sendable {
    let users: UserStore
    let clients: ClientRegistry
    let tokens: AccessTokenStore
    let issuer: AccessTokenIssuer
    let sessions: Sessions
    let accounts: Accounts

    init(_ shared: SharedParts, _ parts: LoopParts) {
        let configuration = shared.configuration
        users = UserStore(pool: parts.postgres)
        clients = ClientRegistry(
            store: ClientStore(pool: parts.postgres), builtIn: shared.builtInClients,
            lifetime: configuration.clients.cacheLifetime, loop: parts.loop, logger: parts.logger)
        issuer = AccessTokenIssuer(
            issuer: configuration.issuer, audience: configuration.audience, keys: parts.keys, system: shared.system)
        tokens = AccessTokenStore(
            redis: parts.redis,
            log: configuration.backends.tellsRevocations
                ? RevocationLog(
                    installation: issuer.installation, length: configuration.backends.revocationLength, system: shared.system)
                : nil,
            hot: parts.hot)
        sessions = Sessions(
            store: SessionStore(
                redis: parts.redis, policy: configuration.sessions.refreshPolicy, clock: shared.system.scriptClock),
            tokens: tokens, issuer: issuer, users: users, clients: clients, limiter: parts.limiter, audit: parts.audit,
            metrics: parts.metrics, key: shared.sessionTokenKey, limitPerUser: configuration.sessions.perUser,
            policy: configuration.sessions.refreshPolicy,
            logouts: LogoutNotices(
                jobs: parts.jobs, clients: clients, system: shared.system, loop: parts.loop, logger: parts.logger),
            system: shared.system)
        accounts = Accounts(
            users: users, identities: IdentityStore(pool: parts.postgres), outbox: parts.outbox,
            notices: AccountNotices(
                outbox: parts.outbox, seal: shared.accountChangeSeal, policy: configuration.noticePolicy,
                system: shared.system),
            sessions: sessions, hasher: shared.hasher, limiter: parts.limiter, audit: parts.audit, metrics: parts.metrics,
            system: shared.system,
            providers: Set(configuration.federation.providers.map(\.id)), rules: configuration.accounts)
    }
}

/// What the parts of one loop stand on: its connections to the stores, its keys, and the books that it keeps.
struct LoopParts: Sendable {
    let loop: EventLoop
    let logger: Logger
    let postgres: PostgresPool
    let redis: RedisConnection
    let hot: HotTokens?
    let audit: AuditLog
    let metrics: IdentityMetrics
    let keys: LoopSlot<KeyRing?>
    let keySets: KeySets
    let jobs: JobQueue
    let outbox: MailOutbox
    let limiter: Limiter
}
