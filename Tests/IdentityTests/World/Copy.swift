import Crypto
import Logging
import Networking
import Postgres
import Redis
import Text

@testable import Identity

/// One running copy of the parts, on a loop of its own. Whatever it is asked to run, it runs there.
actor Copy {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    nonisolated let parts: IdentityParts
    nonisolated let system: SystemContext
    /// Where passwords are hashed.
    nonisolated let hashing: BlockingPool
    private let connecting: BlockingPool
    private var running: [Task<Void, Never>] = []

    init(
        _ options: World.Options, _ postgres: PostgresConfiguration, _ store: RedisConfiguration, masterKey: MasterKey,
        clock: TestClock, ahead: Duration, logger: Logger
    ) throws {
        loop = try EventLoop()
        hashing = BlockingPool(label: "test.hash", threads: 1, queueLimit: options.hashQueue)
        connecting = BlockingPool(label: "test.connect", threads: 1, queueLimit: 100)
        let system = SystemContext(
            now: { clock.now.adding(ahead) }, random: { SecureRandom.bytes($0) }, scriptClock: options.scriptClock,
            statementClock: options.statementClock)
        self.system = system
        parts = try IdentityParts(
            options, system, masterKey: masterKey,
            postgres: PostgresPool(postgres, loop: loop, connecting: connecting, logger: logger),
            redis: RedisConnection(
                store, loop: loop, resolving: connecting,
                recent: options.repeatsEnds ? RecentWrites(window: .seconds(600), limit: 1000) : nil, logger: logger),
            hashing: hashing,
            connecting: connecting, logger: logger)
    }

    /// Connects, and makes or loads the signing keys.
    func start() async throws {
        running = [
            Task(executorPreference: loop) { [parts] in await parts.redis.run() },
            Task(executorPreference: loop) { [parts] in await parts.audit.run() },
        ]
        try await eventually { await parts.redis.isReady }
        let formats = [parts.app.accessTokenFormat]
        parts.keys.value = try await parts.signingKeys.load(ensuring: Set(formats.compactMap(\.algorithm)))
    }

    func stop() async {
        await parts.audit.close()
        await parts.postgres.close()
        await parts.redis.close()
        hashing.stop()
        connecting.stop()
        // The audit log notices at its next turn, for which no test need wait.
        Task { [running, loop] in
            for task in running { await task.value }
            loop.stop()
        }
    }

    @discardableResult
    func run<T: Sendable>(_ body: @Sendable (IdentityParts) async throws -> T) async rethrows -> T {
        try await body(parts)
    }
}

/// The parts of one copy, and what is below them.
struct IdentityParts: Sendable {
    let app: Client
    let postgres: PostgresPool
    let redis: RedisConnection
    let keys = LoopSlot<KeyRing?>(nil)
    let metrics = IdentityMetrics()
    let audit: AuditLog
    let signingKeys: SigningKeyStore
    let users: UserStore
    let identities: IdentityStore
    let jobs: JobQueue
    let outbox: MailOutbox
    let clientStore: ClientStore
    let clients: ClientRegistry
    let clientRefusals: ClientRefusals
    let hasher: PasswordHasher
    let limits: LoopSlot<LimitSettings>
    let limiter: Limiter
    let confirmations: Confirmations
    let sessions: Sessions
    let accounts: Accounts
    let clientTokens: ClientTokens
    let tokens: AccessTokens
    let introspection: Introspection

    init(
        _ options: World.Options, _ system: SystemContext, masterKey: MasterKey, postgres: PostgresPool, redis: RedisConnection,
        hashing: BlockingPool, connecting: BlockingPool, logger: Logger
    ) throws {
        app = options.client
        self.postgres = postgres
        self.redis = redis
        audit = AuditLog(pool: postgres, metrics: metrics, capacity: options.auditCapacity, logger: logger)
        signingKeys = SigningKeyStore(pool: postgres, masterKey: masterKey, computing: connecting, system: system)
        users = UserStore(pool: postgres)
        identities = IdentityStore(pool: postgres)
        jobs = JobQueue(pool: postgres)
        outbox = MailOutbox(jobs: jobs, seal: try MailSeal(masterKey))
        clientStore = ClientStore(pool: postgres)
        clients = ClientRegistry(
            store: clientStore, builtIn: [app], lifetime: options.clientLifetime, strangers: options.strangers,
            loop: postgres.loop, logger: logger)
        clientRefusals = ClientRefusals(clients: clients, audit: audit, metrics: metrics, system: system)
        // The least that argon2 takes.
        hasher = try PasswordHasher(
            Argon2id.Parameters(memoryKiB: 8, iterations: 1), pool: hashing, random: system.random)
        limits = LoopSlot(options.limits)
        limiter = Limiter(
            slot: limits, redis: redis, key: try LimitKey(masterKey), audit: audit, metrics: metrics, system: system)
        let store = AccessTokenStore(redis: redis)
        let issuer = AccessTokenIssuer(issuer: World.issuer, audience: World.audience, keys: keys, system: system)
        sessions = Sessions(
            store: SessionStore(redis: redis, policy: options.policy, clock: options.scriptClock), tokens: store,
            issuer: issuer, users: users, clients: clients, limiter: limiter, audit: audit, metrics: metrics,
            key: try SessionTokenKey(masterKey),
            limitPerUser: options.sessionsPerUser, policy: options.policy,
            logouts: options.tellsLogouts
                ? LogoutNotices(jobs: jobs, clients: clients, system: system, loop: postgres.loop, logger: logger) : nil,
            system: system)
        accounts = Accounts(
            users: users, identities: identities, outbox: outbox,
            notices: AccountNotices(
                outbox: outbox, seal: try AccountChangeSeal(masterKey), policy: options.notices, system: system),
            sessions: sessions, hasher: hasher, limiter: limiter, audit: audit, metrics: metrics, system: system,
            providers: options.providers)
        confirmations = Confirmations(
            accounts: accounts, profiles: ProfileStore(pool: postgres, system: system), codes: OneTimeCodeStore(redis: redis),
            outbox: outbox, pace: options.pace, loop: postgres.loop)
        clientTokens = ClientTokens(redis: redis, tokens: store, issuer: issuer, system: system)
        tokens = AccessTokens(tokens: store, sessions: sessions, issuer: issuer, users: users, ownClients: [app.id])
        introspection = Introspection(tokens: store, sessions: sessions, metrics: metrics)
    }
}
