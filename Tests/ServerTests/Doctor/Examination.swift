import TestSupport
import Testing
import Text

/// One run of `kidoban doctor --json` as a process of its own.
struct Examination {
    let status: Int32
    let output: String
    private let checks: [JSONValue]

    /// Where nothing listens. The defaults would be whatever serves on this machine, such as `make run`.
    private static let nowhere = ["KIDOBAN_ISSUER": "http://127.0.0.1:1", "KIDOBAN_OPERATIONS_LISTEN": "127.0.0.1:1"]

    init(_ environment: [String: String]) async throws {
        let outcome = try await Kidoban.run(
            "doctor", "--json", environment: environment.merging(Self.nowhere) { given, _ in given })
        (status, output) = (outcome.status, outcome.output)
        let document = try JSON.parse(outcome.output)
        checks = try #require(document["checks"]?.arrayValue)
        // What a script looks at, and the exit status, are one.
        #expect(document["ok"]?.boolValue == (outcome.status == 0))
    }

    /// The results of a check, in order: some may find several things.
    func results(_ name: String) -> [String] {
        checks.filter { $0["name"]?.stringValue == name }.compactMap { $0["result"]?.stringValue }
    }

    func detail(_ name: String) -> String? {
        checks.first { $0["name"]?.stringValue == name }?["detail"]?.stringValue
    }

    /// The names of the checks with a result.
    func names(_ result: String) -> [String] {
        checks.filter { $0["result"]?.stringValue == result }.compactMap { $0["name"]?.stringValue }
    }
}

/// Stores of a test's own, as an operator should have them, and what leads there.
struct GoodStores {
    let postgres: TestPostgres
    let redis: TestRedis
    let directory: TestDirectory
    let variables: [String: String]

    init(redis options: [String] = ["--appendonly", "yes", "--maxmemory", "100mb"]) throws {
        postgres = try TestPostgres(["fsync=on"])
        redis = try TestRedis(options)
        directory = try TestDirectory()
        let key = "\(directory.path)/master-key"
        try TestFile.write(Kidoban.masterKey, to: key)
        variables = [
            "DATABASE_URL": postgres.connectionString, "REDIS_URL": redis.url, "KIDOBAN_MASTER_KEY_FILE": key,
            "KIDOBAN_LOOPS": "1", "KIDOBAN_ARGON2_MEMORY": "7168",
            // As many as any limit of open files allows.
            "KIDOBAN_MAX_CONNECTIONS": "100",
        ].merging(TestEnvironment.patience) { $1 }
    }

    func with(_ changes: [String: String]) -> [String: String] {
        variables.merging(changes) { $1 }
    }
}
