import Crypto
import HTTP
import Identity
import Logging
import Networking
import Outbound
import Postgres
import Redis
import Server
import TestSupport
import Text

/// Stores, and what it takes to run copies of the server on them in this process.
final class Installation: Sendable {
    struct Failure: Error {
        let reason: String
    }

    /// That of the suite, where it has the trait `installation`.
    @TaskLocal static var current: Installation?

    /// A running server.
    struct Copy: Sendable {
        let application: Application
        let http: TestHTTPClient
        let operations: TestHTTPClient
    }

    /// A test must not run one installation inside another. Those of suites have places of their own: a suite holds its place while its tests
    /// wait for their turn, which another test may have that itself waits for a place.
    private static let (ofSuites, ofTests) = (Turnstile(places: 3), Turnstile(places: 3))

    private static let migrated = TestDatabaseTemplate { connectionString in
        let configuration = try PostgresConfiguration(connectionString: connectionString)
        try Migrator(Schema.migrations, configuration: configuration, logger: .disabled).apply()
    }

    /// Its own, also because limits are counted under names made with it: in the shared Redis all installations are asked by the same
    /// address, and each has another clock.
    let masterKey = Hex.encode(SecureRandom.bytes(32))
    let clock = TestClock()
    let databaseURL: String
    let redisURL: String
    let configuration: Configuration
    let log: TestLog?
    /// Dropped at the end.
    private let database: TestDatabase?
    private let running = Locked<[Copy]>([])

    /// A client that may introspect, once `backend()` has been asked for.
    private let registered = Locked<Task<Credentials, any Error>?>(nil)

    /// - Parameters:
    ///   - databaseURL: nil for a new database on the shared server.
    ///   - redisURL: nil for the shared Redis.
    init(
        databaseURL: String? = nil, redisURL: String? = nil, log: TestLog? = nil,
        _ configure: (inout Configuration) throws -> Void = { _ in }
    ) throws {
        guard let redisURL = redisURL ?? TestRedis.sharedURL else { throw Failure(reason: TestRedis.reason) }
        database = databaseURL == nil ? try Self.migrated.copy() : nil
        guard let databaseURL = databaseURL ?? database?.connectionString else { throw Failure(reason: TestDatabase.reason) }
        self.databaseURL = databaseURL
        self.redisURL = redisURL
        self.log = log
        var configuration = try Self.configuration(databaseURL, redisURL, masterKey)
        try configure(&configuration)
        self.configuration = configuration
    }

    /// The copies that run, in the order of their start.
    var copies: [Copy] { running.value }

    /// The first copy.
    var server: TestHTTPClient {
        get throws {
            guard let first = copies.first else { throw Failure(reason: "no copy runs") }
            return first.http
        }
    }

    /// Starts a copy and does not wait until it is prepared.
    func launch() async throws -> Copy {
        let clock = clock
        let system = SystemContext(
            now: { clock.now }, random: { SecureRandom.bytes($0) }, scriptClock: .callers, statementClock: .callers)
        let application = try Application(
            configuration, logger: log?.logger ?? .disabled, system: system, logSink: log?.sink)
        let addresses = try await application.start()
        // Whatever a test asks, the answer must be one that the OpenAPI document promises.
        let document = DocumentedAnswers(application.document, hasOwnServer: false)
        let operations = DocumentedAnswers(application.document, hasOwnServer: true)
        let copy = Copy(
            application: application, http: TestHTTPClient(port: Self.port(addresses.http), observer: document.check),
            operations: TestHTTPClient(port: Self.port(addresses.operations), observer: operations.check))
        running.withLock { $0.append(copy) }
        return copy
    }

    /// Starts a copy that is then ready.
    @discardableResult
    func start() async throws -> Copy {
        let copy = try await launch()
        try await copy.application.prepare()
        return copy
    }

    /// Starts copies, hands the installation to `body`, and stops what runs at its end.
    func run(
        copies: Int = 1, forSuite: Bool = false, _ body: (Installation) async throws -> Void
    ) async throws {
        let turnstile = forSuite ? Self.ofSuites : Self.ofTests
        await turnstile.enter()
        let result: Result<Void, any Error>
        do {
            for _ in 0..<copies { try await start() }
            result = .success(try await body(self))
        } catch {
            result = .failure(error)
        }
        await stop()
        await turnstile.leave()
        try result.get()
    }

    private func stop() async {
        let copies = running.withLock { copies in
            defer { copies = [] }
            return copies
        }
        for copy in copies { await copy.application.stop() }
    }

    /// A client that may introspect, the same for everybody.
    func backend() async throws -> Credentials {
        try await registered.withLock { registered in
            let task = registered ?? Task { try await self.addClient("backend", "--introspect") }
            registered = task
            return task
        }.value
    }

    /// Runs `kidoban` with the given arguments on these stores.
    func command(_ arguments: [String], with settings: [String: String] = [:]) async throws -> String {
        let output = Locked("")
        let console = Console(
            output: { text in
                output.withLock { $0 += text }
                return true
            }, error: { text in output.withLock { $0 += text } })
        let status = await Program.run(
            arguments: arguments,
            environment: [
                "DATABASE_URL": databaseURL, "REDIS_URL": redisURL, "KIDOBAN_DATABASE_POOL": "1",
                "KIDOBAN_DATABASE_DEADLINE": "60s", "KIDOBAN_DATABASE_CONNECT_TIMEOUT": "60s",
                "KIDOBAN_REDIS_DEADLINE": "60s", "KIDOBAN_REDIS_CONNECT_TIMEOUT": "60s",
            ].merging(settings) { $1 }, console: console)
        guard status == ExitStatus.success else { throw Failure(reason: output.value) }
        return output.value
    }

    private static func port(_ address: SocketAddress) -> UInt16 {
        if case .ip(_, let port) = address { port } else { 0 }
    }

    private static func configuration(_ databaseURL: String, _ redisURL: String, _ masterKey: String) throws -> Configuration {
        var configuration = Configuration()
        configuration.http.listen = .ip(.v4(0x7F00_0001), port: 0)
        configuration.operations.listen = .ip(.v4(0x7F00_0001), port: 0)
        configuration.loops = 2
        // So that the parsers see large hostile bodies.
        configuration.http.limits.body = 1024 * 1024
        configuration.lifecycle.drainDelay = .zero
        configuration.passwords.memoryKiB = 64
        configuration.passwords.iterations = 1
        // Counted like anywhere, but nobody gets there.
        configuration.limits = LimitSettings(everything: Budget(1_000_000, per: .seconds(3600)))
        configuration.database = try PostgresConfiguration(connectionString: databaseURL)
        configuration.database.connectionsPerLoop = 2
        guard let redis = RedisConfiguration(url: redisURL) else { throw Failure(reason: "the URL of Redis is not valid") }
        configuration.redis = redis
        // What a busy machine keeps.
        configuration.database.deadline = .seconds(30)
        configuration.database.connectTimeout = .seconds(30)
        configuration.redis.commandDeadline = .seconds(30)
        configuration.redis.connectTimeout = .seconds(30)
        configuration.outbound.connectTimeout = .seconds(30)
        configuration.outbound.timeout = .seconds(30)
        configuration.keySets.patience = .seconds(30)
        configuration.http.limits.headTimeout = .seconds(120)
        configuration.http.limits.bodyTimeout = .seconds(120)
        configuration.http.limits.writeTimeout = .seconds(120)
        configuration.passwords.queueLimit = 1000
        configuration.passwords.queueLimitPerSite = 1000
        configuration.passwords.queueLimitPerAddress = 1000
        configuration.passwords.queueLimitPerAccount = 1000
        configuration.passwords.queueLimitPerClient = 1000
        configuration.secrets.masterKey = MasterKey(SecretString(masterKey))
        return configuration
    }
}
