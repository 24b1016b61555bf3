import Crypto
import Glibc
import Logging
import Networking
import Postgres
import Redis
import TestSupport
import Testing
import Text

@testable import Identity

/// Suites on a PostgreSQL and a Redis. Their tests run one after the other, for they start servers.
@Suite(.serialized, .timeLimit(.minutes(10)), .needsDatabase, .needsRedis)
enum WithStores {}

/// Those among them that spend their time waiting for stores that fail. They run beside the others.
@Suite(.serialized, .timeLimit(.minutes(10)), .needsDatabase, .needsRedis)
enum WithFailingStores {}

extension Trait where Self == ConditionTrait {
    fileprivate static var needsDatabase: Self {
        .enabled(if: TestDatabase.server != nil, Comment(rawValue: TestDatabase.reason))
    }

    fileprivate static var needsRedis: Self { .enabled(if: TestRedis.isAvailable, "there is no redis-server on this machine") }
}

/// A test's own stores, its clock, and one or more running copies of the parts on top of them, each with its own loop and
/// connections.
final class World {
    /// What a test may want otherwise.
    struct Options: Sendable {
        var copies = 1
        var policy = RefreshPolicy.standard
        /// The copies' own, which tests turn.
        var scriptClock = ScriptClock.callers
        var statementClock = StatementClock.callers
        /// How far ahead the clock of each copy after the first is.
        var ahead = Duration.zero
        var sessionsPerUser = 50
        var auditCapacity = 10_000
        var hashQueue = 200
        var clientLifetime: Duration = .seconds(10)
        /// Of look-ups of unknown clients.
        var strangers = Budget(1000, per: .seconds(1))
        var client = World.app()
        var providers: Set<ProviderID> = [.apple, .google]
        var limits = LimitSettings(everything: nil)
        /// Of answers that must not tell what there was to do.
        var pace = AnswerPace(.zero)
        /// Whether clients are told of the ends of sessions.
        var tellsLogouts = false
        /// With links that hold the code alone.
        var notices = AccountNotices.Policy(link: { $0 })
        /// How long Redis may take to answer. By itself, as PostgreSQL: more than any machine needs, however busy.
        var patience: Duration = .seconds(60)
        /// The same for PostgreSQL.
        var postgresPatience: Duration = .seconds(60)
        /// Whether what has ended is ended again at each new connection to Redis, as a server does.
        var repeatsEnds = false
        /// Of each copy, by its number.
        var masterKey: @Sendable (Int) throws -> MasterKey = { _ in try Sample.masterKey() }
        /// Instead of a database on the shared server.
        var connectionString: String?
        /// What is otherwise for the copies after the first.
        var others: @Sendable (inout PostgresConfiguration, inout RedisConfiguration) throws -> Void = { _, _ in }
        /// Where the copies find Redis, if not at the socket that is given.
        var redisPath: @Sendable (String) throws -> String = { $0 }
    }

    private static let migrated = TestDatabaseTemplate { connectionString in
        let configuration = try PostgresConfiguration(connectionString: connectionString)
        try Migrator(Schema.migrations, configuration: configuration, logger: .disabled).apply()
    }

    let options: Options
    let clock = TestClock()
    let redis: TestRedis
    let masterKey: MasterKey
    let copies: [Copy]
    private let database: TestDatabase?
    private let log: TestLog
    /// How to make one more copy.
    private let makeCopy: (MasterKey, Int) throws -> Copy

    /// The first copy, or the only one.
    var a: Copy { copies[0] }
    var b: Copy { copies[1] }

    private init(_ options: Options) throws {
        self.options = options
        redis = try TestRedis()
        masterKey = try options.masterKey(0)
        database = try options.connectionString == nil ? Self.migrated.copy() : nil
        log = try TestLog()
        let logger = Logger(sink: log.sink, level: .trace)
        var postgres = try PostgresConfiguration(
            connectionString: options.connectionString ?? database?.connectionString ?? "")
        postgres.deadline = options.postgresPatience
        postgres.connectTimeout = .seconds(60)
        postgres.backOff = .milliseconds(10)...(.milliseconds(50))
        var store = RedisConfiguration(endpoint: .unix(path: try options.redisPath(redis.socketPath)))
        store.commandDeadline = options.patience
        store.connectTimeout = options.patience
        if options.connectionString != nil {
            try Migrator(Schema.migrations, configuration: postgres, logger: logger).apply()
        }
        let (clock, configuration, redisConfiguration) = (clock, postgres, store)
        var (otherConfiguration, otherRedisConfiguration) = (postgres, store)
        try options.others(&otherConfiguration, &otherRedisConfiguration)
        let (others, otherRedis) = (otherConfiguration, otherRedisConfiguration)
        let makeCopy = { (masterKey: MasterKey, number: Int) in
            try Copy(
                options, number == 0 ? configuration : others, number == 0 ? redisConfiguration : otherRedis,
                masterKey: masterKey, clock: clock,
                ahead: number == 0 ? .zero : options.ahead, logger: logger)
        }
        self.makeCopy = makeCopy
        copies = try (0..<options.copies).map { try makeCopy(options.masterKey($0), $0) }
    }

    /// Lends one more copy, with a master key of its own.
    func withCopy<T>(_ masterKey: MasterKey, _ body: (Copy) async throws -> T) async throws -> T {
        let copy = try makeCopy(masterKey, copies.count)
        do {
            try await copy.start()
            let value = try await body(copy)
            await copy.stop()
            return value
        } catch {
            await copy.stop()
            throw error
        }
    }

    /// Lends a world to `body`. Everything in it runs and is ready.
    static func run<T>(_ change: (inout Options) -> Void = { _ in }, _ body: (World) async throws -> T) async throws -> T {
        var options = Options()
        change(&options)
        let world = try World(options)
        do {
            for copy in world.copies { try await copy.start() }
            let value = try await body(world)
            await world.stop()
            return value
        } catch {
            await world.stop()
            throw error
        }
    }

    /// Lends a world whose Redis is behind a proxy, through which the copies alone go.
    static func runBehindProxy(
        _ change: (inout Options) -> Void = { _ in }, _ body: (World, TestProxy) async throws -> Void
    ) async throws {
        let proxied = Locked<TestProxy?>(nil)
        try await run({
            $0.redisPath = { path in
                let proxy = try TestProxy(to: path)
                proxied.withLock { $0 = proxy }
                return proxy.path
            }
            change(&$0)
        }) { world in
            let proxy = try #require(proxied.value)
            try await body(world, proxy)
            proxy.stop()
        }
    }

    /// Lends a world of two copies that go by the stores' clocks, which show the present, as the first copy's does.
    /// - Parameter ahead: how far ahead the second copy's clock is.
    static func runApart(
        by ahead: Duration, _ change: (inout Options) -> Void = { _ in }, _ body: (World) async throws -> Void
    ) async throws {
        try await run({
            $0.copies = 2
            $0.scriptClock = .redis
            $0.statementClock = .postgres
            $0.ahead = ahead
            change(&$0)
        }) { world in
            world.clock.advance(by: Timestamp.now().duration(since: world.clock.now))
            try await body(world)
        }
    }

    private func stop() async {
        for copy in copies { await copy.stop() }
    }

    /// Lets time pass, for the parts and for Redis alike: what would have expired is gone.
    func pass(_ duration: Duration) async throws {
        clock.advance(by: duration)
        try await a.age(by: duration)
    }

    var connectionString: String { options.connectionString ?? database?.connectionString ?? "" }

    var databaseName: String {
        get throws { try TestDatabase.rows("SELECT quote_ident(current_database())", on: connectionString)[0][0] }
    }

    /// How PostgreSQL would go about a statement; the arguments are SQL.
    func explain(_ sql: String, _ arguments: String) throws -> String {
        let values = arguments.split(separator: ", ")
        // The highest first: `$1` is also how `$10` begins.
        let filled = values.indices.reversed().reduce(sql) { $0.replacing("$\($1 + 1)", with: values[$1]) }
        let rows = try TestDatabase.rows("EXPLAIN " + filled, on: connectionString)
        return rows.flatMap(\.self).joined(separator: "\n")
    }

    /// Writes into the same log as the parts.
    var logger: Logger { Logger(sink: log.sink, level: .trace) }

    /// Everything that was logged up to now.
    var logged: String { log.text }

    /// The users' app, as a client.
    static func app(
        format: AccessTokenFormat = .jwtES256, lifetime: SessionLifetime = .standard,
        permissions: Set<Client.Permission> = [.signIn], rotates: Bool = false
    ) -> Client {
        Client(
            id: clientID("app"), name: "App", authentication: .publicClient, permissions: permissions, audiences: [audience],
            accessTokenFormat: format, sessionLifetime: lifetime,
            scopes: Client.standardScopes + [AccountAccess.scope], rotatesRefreshTokens: rotates)
    }

    /// Whom the tokens are for.
    static let audience = "https://api.town.example"
    static let issuer = "https://id.town.example"

    static func clientID(_ text: String) -> ClientID {
        guard let id = ClientID(text) else { preconditionFailure("a constant client id") }
        return id
    }
}

/// A log that can be read again.
final class TestLog {
    let sink: LogSink
    private let path: String
    private let descriptor: Int32
    private let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
        path = "\(directory.path)/log"
        descriptor = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0o600)
        sink = try LogSink(descriptor: descriptor, format: .json)
    }

    var text: String {
        guard sink.flush(timeout: .seconds(60)), let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }
}

/// Waits for `condition` to hold, for as long as the test's time limit allows.
func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(5)) }
}
