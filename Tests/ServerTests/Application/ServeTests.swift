import Identity
import Glibc
import Identity
import TestSupport
import Testing
import Text

/// The server as a process: its start and its end.
@Suite(.needsProgram, .timeLimit(.minutes(5)))
struct ServeTests {
    private static let signUp = #"{"email":"user@example.com","password":"correct horse battery"}"#

    private static func head(_ length: Int) -> [UInt8] {
        Array(
            "POST /auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: \(length)\r\n\r\n".utf8)
    }

    /// Begins a request on a connection of its own and leaves it unfinished.
    private func begin(_ server: RunningServer) async throws -> TestHTTPConnection {
        let port = server.http.port
        let connection = try await onThread {
            let connection = try TestHTTPConnection(to: port)
            // An answer proves that the server has taken the connection.
            _ = try connection.exchange(TestHTTPRequest("GET", "/auth/me"))
            try connection.send(Self.head(Self.signUp.utf8.count) + Array(Self.signUp.utf8.prefix(10)))
            return connection
        }
        return connection
    }

    private func isDraining(_ server: RunningServer) async throws -> Bool {
        let ready = try await server.operations.send("GET", "/health/ready")
        return ready.status == 503 && ready.text.contains(#""status":"draining""#)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a signal lets what has begun finish, and no more begin`(_ signal: Int32) async throws {
        let environment = try TestEnvironment()
        // The request that is held open is a slow one, and has the time.
        let server = try await RunningServer(
            environment.with(["KIDOBAN_SLOW_REQUEST": "0s", "KIDOBAN_BODY_TIMEOUT": "10m", "KIDOBAN_DRAIN_TIMEOUT": "10m"]))
        try await eventually { try await server.isReady() }
        let begun = try await begin(server)
        let idle = try await onThread { [port = server.http.port] in
            let connection = try TestHTTPConnection(to: port)
            _ = try connection.exchange(TestHTTPRequest("GET", "/auth/me"))
            return connection
        }
        server.process.send(signal)
        try await eventually { try await isDraining(server) }
        // No store is asked any more: one that hangs would hide it.
        #expect(try await server.operations.send("GET", "/health/ready").text == #"{"status":"draining"}"#)
        #expect(try await server.operations.send("GET", "/health/live").status == 200)
        // The one between requests is let go, the one in a request is not.
        #expect(try await onThread { try idle.isEnded() })
        try await eventually { (try? TestSocket(connectingTo: server.http.port)) == nil }
        #expect(server.process.isRunning)
        let response = try await onThread {
            try begun.send(Array(Self.signUp.utf8.dropFirst(10)))
            return try begun.receive()
        }
        #expect(response.status == 201)
        #expect(response.value("Connection") == "close")
        #expect(try await onThread { try begun.isEnded() })
        #expect(try await server.exitStatus() == 0)
        // Nothing that has happened is lost.
        let events = try TestDatabase.rows(
            "SELECT kind FROM audit_events ORDER BY id", on: environment.database.connectionString)
        #expect(events.contains(["user_signed_up"]))
        let lines = try server.log.split(separator: "\n")
        #expect(lines.allSatisfy { (try? JSON.parse(String($0)))?.objectValue != nil })
        #expect(lines.last?.contains(#""message":"stopped""#) == true)
        // Nothing was unusual, but that readiness was refused, and that the Redis of tests keeps nothing on disk.
        let unusual = lines.filter {
            !$0.contains(#""level":"info""#) && !$0.contains(#""path":"/health/ready""#)
                && !$0.contains(#""check":"redis-persistence""#)
        }
        #expect(unusual.isEmpty)
    }

    @Test(.enabled(if: TestPostgres.isAvailable, "there is no PostgreSQL server program on this machine"))
    func `a server that ends while PostgreSQL is away leaves its audit events in the log`() async throws {
        let postgres = try TestPostgres()
        let environment = try TestEnvironment()
        let server = try await RunningServer(
            environment.with(["DATABASE_URL": postgres.connectionString, "KIDOBAN_AUDIT_REFRESHES": "each"]))
        try await eventually { try await server.isReady() }
        let json = ("Content-Type", "application/json")
        let body = #"{"email":"mei@example.com","password":"seven lanterns at the gate"}"#
        let signedUp = try await server.http.send("POST", "/auth/register", [json], body: body)
        let token = try #require(signedUp.text.firstMatch(of: /"refreshToken":"([^"]+)"/)).1
        postgres.stop(.immediate)
        let refreshed = try await server.http.send("POST", "/auth/refresh", [json], body: #"{"refreshToken":"\#(token)"}"#)
        #expect(refreshed.status == 200)
        server.process.send(SIGTERM)
        #expect(try await server.exitStatus() == 0)
        let lines = try server.log.split(separator: "\n").map { try JSON.parse(String($0)) }
        let events = try lines.filter { $0["message"] == "audit event not stored" }
            .map { try JSON.parse($0["event"]?.stringValue ?? "") }
        #expect(events.contains { $0["kind"] == "token_refreshed" })
        let counts = lines.filter { $0["message"] == "audit events dropped" && $0["level"] == "error" }
            .compactMap { $0["count"]?.integerValue }
        #expect(counts.reduce(0, +) == events.count)
        withExtendedLifetime(postgres) {}
    }

    @Test func `no thread of the global pool takes part in a request`() async throws {
        let environment = try TestEnvironment()
        let server = try await RunningServer(environment.variables)
        try await eventually { try await server.isReady() }
        // The start may use one; it ends when it has had nothing to do for some seconds. Those of the loops are "-qos.overcommit".
        try await eventually { !server.process.threadNames().contains { $0.contains("default-qos") } }
        for _ in 0..<50 { #expect(try await server.http.send("GET", "/auth/me").status == 401) }
        let signedUp = try await server.http.send(
            "POST", "/auth/register", [("Content-Type", "application/json")], body: Self.signUp)
        #expect(signedUp.status == 201)
        let threads = server.process.threadNames()
        #expect(threads.contains { $0.hasPrefix("kidoban.hash") })
        #expect(!threads.contains { $0.contains("default-qos") })
    }

    @Test func `a crash leaves no copy of the memory behind`() async throws {
        let server = try await RunningServer(try TestEnvironment().variables)
        let limits = try TestFile.text(of: "/proc/\(server.process.processID)/limits")
        let cores = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(cores.split(separator: " ").suffix(3) == ["0", "0", "bytes"])
    }

    @Test func `until the listeners close, requests are answered and connections not kept`() async throws {
        let environment = try TestEnvironment()
        let server = try await RunningServer(environment.with(["KIDOBAN_DRAIN_DELAY": "5m"]))
        try await eventually { try await server.isReady() }
        server.process.send(SIGTERM)
        try await eventually { try await isDraining(server) }
        let response = try await server.http.send("GET", "/.well-known/jwks.json")
        #expect(response.status == 200)
        #expect(response.value("Connection") == "close")
        server.process.send(SIGTERM)
        #expect(try await server.exitStatus() == 1)
    }

    @Test func `a request that does not end is not waited for for ever`() async throws {
        let environment = try TestEnvironment()
        let server = try await RunningServer(environment.with(["KIDOBAN_DRAIN_TIMEOUT": "100ms"]))
        try await eventually { try await server.isReady() }
        let begun = try await begin(server)
        server.process.send(SIGTERM)
        #expect(try await server.exitStatus() == 0)
        #expect(throws: (any Error).self) { try begun.receive() }
    }

    @Test func `without its stores a server lives, and ends when it is told to`() async throws {
        let environment = try TestEnvironment()
        let server = try await RunningServer(
            environment.with(["DATABASE_URL": "host=127.0.0.1 port=1 dbname=x", "REDIS_URL": "redis://127.0.0.1:1"]))
        #expect(try await server.operations.send("GET", "/health/live").status == 200)
        #expect(try await !server.isReady())
        server.process.send(SIGTERM)
        #expect(try await server.exitStatus() == 0)
    }

    @Test func `a schema of a newer program is left alone`() async throws {
        let environment = try TestEnvironment()
        #expect(try await Kidoban.run("migrate", environment: environment.variables).status == 0)
        try TestDatabase.run(
            "INSERT INTO schema_migrations (version, name, checksum) VALUES (999, 'later', 'x')",
            on: environment.database.connectionString)
        for command in ["serve", "migrate"] {
            let outcome = try await Kidoban.run(command, environment: environment.variables)
            #expect(outcome.status == 1)
            #expect(
                outcome.output.contains("the database schema is at version 999, newer than version \(Schema.migrations.count)"))
        }
    }

    @Test func `another master key is refused, by its name only`() async throws {
        let environment = try TestEnvironment()
        let server = try await RunningServer(environment.variables)
        try await eventually { try await server.isReady() }
        server.process.send(SIGTERM)
        #expect(try await server.exitStatus() == 0)
        let other = String(Kidoban.masterKey.reversed())
        let outcome = try await Kidoban.run("serve", environment: environment.with(["KIDOBAN_MASTER_KEY": other]))
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("KIDOBAN_MASTER_KEY"))
        #expect(!outcome.output.contains(other))
    }

    @Test func `without permission to migrate a server does not start on an empty database`() async throws {
        let environment = try TestEnvironment()
        let outcome = try await Kidoban.run("serve", environment: environment.with(["KIDOBAN_MIGRATE": "false"]))
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("kidoban migrate"))
    }

    @Test(arguments: ["KIDOBAN_LISTEN", "KIDOBAN_OPERATIONS_LISTEN"])
    func `an address that somebody else has is named`(_ setting: String) async throws {
        let environment = try TestEnvironment()
        let taken = try TestSocket(listeningOn: 0)
        let address = "127.0.0.1:\(taken.port)"
        let outcome = try await Kidoban.run("serve", environment: environment.with([setting: address]))
        #expect(outcome.status == 1)
        #expect(outcome.output.contains(address))
    }
}
