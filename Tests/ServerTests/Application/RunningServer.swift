import Crypto
import TestSupport
import Testing
import Text

/// `kidoban serve` as a process of its own, on stores of its own.
final class RunningServer {
    struct Failure: Error {
        let output: String
    }

    let process: ChildProcess
    let http: TestHTTPClient
    let operations: TestHTTPClient
    private let directory: TestDirectory

    /// Waits until it listens.
    init(_ environment: [String: String]) async throws {
        directory = try TestDirectory()
        process = try ChildProcess(
            Kidoban.path ?? "", ["serve"], environment: environment, outputPath: "\(directory.path)/log")
        var ports: (http: UInt16, operations: UInt16)?
        let (process, directory) = (process, directory)
        try await eventually {
            ports = try Self.ports(directory)
            return ports != nil || !process.isRunning
        }
        guard let ports else { throw Failure(output: try TestFile.text(of: "\(directory.path)/log")) }
        http = TestHTTPClient(port: ports.http)
        operations = TestHTTPClient(port: ports.operations)
    }

    var log: String {
        get throws { try TestFile.text(of: "\(directory.path)/log") }
    }

    func isReady() async throws -> Bool {
        try await operations.send("GET", "/health/ready").status == 200
    }

    /// Waits for its end.
    /// - Returns: its exit status.
    func exitStatus() async throws -> Int32 {
        let process = process
        try await eventually { !process.isRunning }
        return process.waitForExit()
    }

    /// The line that says where it listens, once it is there.
    private static func ports(_ directory: TestDirectory) throws -> (http: UInt16, operations: UInt16)? {
        for line in try TestFile.text(of: "\(directory.path)/log").split(separator: "\n") {
            guard let entry = try? JSON.parse(String(line)), entry["message"] == "listening",
                let http = port(entry["http"]), let operations = port(entry["operations"])
            else { continue }
            return (http, operations)
        }
        return nil
    }

    private static func port(_ address: JSONValue?) -> UInt16? {
        address?.stringValue?.split(separator: ":").last.flatMap { UInt16($0) }
    }
}

/// What the program finds in its environment, for a database of its own on the shared servers.
struct TestEnvironment {
    let database: TestDatabase
    var variables: [String: String]

    init() throws {
        database = try TestDatabase()
        variables = [
            "DATABASE_URL": database.connectionString, "REDIS_URL": try #require(TestRedis.sharedURL),
            "KIDOBAN_MASTER_KEY": Self.masterKey(), "KIDOBAN_LISTEN": "127.0.0.1:0", "KIDOBAN_OPERATIONS_LISTEN": "127.0.0.1:0",
            "KIDOBAN_LOOPS": "2", "KIDOBAN_DATABASE_POOL": "2", "KIDOBAN_DRAIN_DELAY": "0s", "KIDOBAN_ARGON2_MEMORY": "7168",
            "KIDOBAN_ARGON2_ITERATIONS": "1",
        ].merging(Self.patience) { $1 }
    }

    /// What a busy machine keeps.
    static let patience = [
        "KIDOBAN_DATABASE_DEADLINE": "1m", "KIDOBAN_DATABASE_CONNECT_TIMEOUT": "1m", "KIDOBAN_REDIS_DEADLINE": "1m",
        "KIDOBAN_REDIS_CONNECT_TIMEOUT": "1m", "KIDOBAN_OUTBOUND_CONNECT_TIMEOUT": "1m", "KIDOBAN_OUTBOUND_TIMEOUT": "1m",
    ]

    /// A key of its own: Redis names the counts of limits by it, and everybody here comes from one address.
    private static func masterKey() -> String { Hex.encode(SecureRandom.bytes(32)) }

    func with(_ changes: [String: String?]) -> [String: String] {
        variables.merging(changes.compactMapValues(\.self)) { $1 }.filter { changes[$0.key] != .some(nil) }
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that run the program on the shared servers.
    static var needsProgram: Self {
        .enabled(
            if: Kidoban.path != nil && TestDatabase.server != nil && TestRedis.sharedURL != nil,
            "the program has not been built, or KIDOBAN_TEST_DATABASE_URL and KIDOBAN_TEST_REDIS_URL do not name both servers")
    }
}
