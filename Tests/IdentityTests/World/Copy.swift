import Crypto
import Logging
import Networking
import Postgres
import Redis
import Text

@testable import Identity

/// One running copy of the rooms, on a loop of its own. Whatever it is asked to run, it runs there.
actor Copy {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    nonisolated let rooms: Rooms
    nonisolated let ambience: Ambience
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
        let ambience = Ambience(
            now: { clock.now.adding(ahead) }, random: { SecureRandom.bytes($0) }, scriptClock: options.scriptClock,
            statementClock: options.statementClock)
        self.ambience = ambience
        rooms = try Rooms(
            options, ambience, masterKey: masterKey,
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
            Task(executorPreference: loop) { [rooms] in await rooms.redis.run() },
            Task(executorPreference: loop) { [rooms] in await rooms.audit.run() },
        ]
        try await eventually { await rooms.redis.isReady }
        let formats = [rooms.app.accessTokenFormat]
        rooms.keys.value = try await rooms.signingKeys.load(ensuring: Set(formats.compactMap(\.algorithm)))
    }

    func stop() async {
        await rooms.audit.close()
        await rooms.postgres.close()
        await rooms.redis.close()
        hashing.stop()
        connecting.stop()
        // The audit log notices at its next turn, for which no test need wait.
        Task { [running, loop] in
            for task in running { await task.value }
            loop.stop()
        }
    }

    func run<T: Sendable>(_ body: @Sendable (Rooms) async throws -> T) async rethrows -> T {
        try await body(rooms)
    }
}

/// The rooms of one copy, and what is below them.
struct Rooms: Sendable {
    let app: Client
    let postgres: PostgresPool
    let redis: RedisConnection
    let keys = LoopSlot<KeyRing?>(nil)
    let metrics = IdentityMetrics()
    let audit: AuditLog
    let signingKeys: SigningKeyStore
    let users: UserStore
    let identities: IdentityStore
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
    let tokens: AccessTokens
    let introspection: Introspection

    init(
        _ options: World.Options, _ ambience: Ambience, masterKey: MasterKey, postgres: PostgresPool, redis: RedisConnection,
        hashing: BlockingPool, connecting: BlockingPool, logger: Logger
    ) throws {
        app = options.client
        self.postgres = postgres
        self.redis = redis
        audit = AuditLog(pool: postgres, metrics: metrics, capacity: options.auditCapacity, logger: logger)
        signingKeys = SigningKeyStore(pool: postgres, masterKey: masterKey, computing: connecting, ambience: ambience)
        users = UserStore(pool: postgres)
        identities = IdentityStore(pool: postgres)
        outbox = MailOutbox(pool: postgres, seal: try MailSeal(masterKey))
        clientStore = ClientStore(pool: postgres)
        clients = ClientRegistry(
            store: clientStore, builtIn: [app], lifetime: options.clientLifetime, strangers: options.strangers,
            loop: postgres.loop, logger: logger)
        clientRefusals = ClientRefusals(clients: clients, audit: audit, metrics: metrics, ambience: ambience)
        // The least that argon2 takes.
        hasher = try PasswordHasher(
            Argon2id.Parameters(memoryKiB: 8, iterations: 1), pool: hashing, random: ambience.random)
        limits = LoopSlot(options.limits)
        limiter = Limiter(
            slot: limits, redis: redis, key: try LimitKey(masterKey), audit: audit, metrics: metrics, ambience: ambience)
        let store = AccessTokenStore(redis: redis)
        let issuer = AccessTokenIssuer(issuer: World.issuer, audience: World.audience, keys: keys, ambience: ambience)
        sessions = Sessions(
            store: SessionStore(redis: redis, policy: options.policy, clock: options.scriptClock), tokens: store,
            issuer: issuer, users: users, clients: clients, limiter: limiter, audit: audit, metrics: metrics,
            key: try SessionTokenKey(masterKey),
            limitPerUser: options.sessionsPerUser, policy: options.policy, ambience: ambience)
        accounts = Accounts(
            users: users, identities: identities, outbox: outbox,
            notices: AccountNotices(
                outbox: outbox, seal: try AccountChangeSeal(masterKey), policy: options.notices, ambience: ambience),
            sessions: sessions, hasher: hasher, limiter: limiter, audit: audit, metrics: metrics, ambience: ambience,
            providers: options.providers)
        confirmations = Confirmations(
            accounts: accounts, profiles: ProfileStore(pool: postgres, ambience: ambience), codes: OneTimeCodeStore(redis: redis),
            outbox: outbox, pace: options.pace, loop: postgres.loop)
        tokens = AccessTokens(tokens: store, sessions: sessions, issuer: issuer, users: users, ownClients: [app.id])
        introspection = Introspection(tokens: store, sessions: sessions, metrics: metrics)
    }
}
