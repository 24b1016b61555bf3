import Glibc
import Logging
import Networking
import TestSupport
import Testing

@testable import Postgres

/// A server that is there and says nothing. The kernel of such a machine goes on acknowledging, so that only a clock of ours can tell.
@Suite(.needsOwnServer, .timeLimit(.minutes(5))) struct SilentServerTests {
    /// A server that can be reached by way of a proxy.
    private func withServer(
        silentAt trigger: String = "", silencesAll: Bool = true,
        _ body: (SilencingProxy, PostgresConfiguration) async throws -> Void
    ) async throws {
        let port = try freePort()
        let server = try TestPostgres(["listen_addresses=127.0.0.1", "port=\(port)"])
        defer { withExtendedLifetime(server) {} }
        let proxy = try SilencingProxy(to: port, silentAt: trigger, silencesAll: silencesAll)
        defer { proxy.stop() }
        var configuration = try PostgresConfiguration(
            connectionString: "host=127.0.0.1 port=\(proxy.port) user=postgres dbname=postgres sslmode=disable")
        configuration.connectTimeout = .seconds(2)
        configuration.deadline = .milliseconds(500)
        try await body(proxy, configuration)
    }

    private func outcome(of migrations: [Migration], _ configuration: PostgresConfiguration) async throws -> MigrationError? {
        let migrator = Migrator(migrations, configuration: configuration, logger: .disabled)
        return try await onThread {
            do throws(MigrationError) {
                try migrator.apply()
                return nil
            } catch {
                return error
            }
        }
    }

    private static let step = Migration(version: 1, name: "step", sql: "CREATE TABLE step (id integer)")

    private func expectUnavailable(_ error: MigrationError?, _ location: SourceLocation = #_sourceLocation) {
        guard case .unavailable = error else {
            Issue.record("\(String(describing: error))", sourceLocation: location)
            return
        }
    }

    @Test(arguments: ["", " connect_timeout=0"])
    func `a server that takes connections and says nothing is given up`(option: String) async throws {
        let listener = try TestSocket(listeningOn: 0)
        let text = "host=127.0.0.1 port=\(listener.port) user=postgres dbname=postgres" + option
        var configuration = try PostgresConfiguration(connectionString: text)
        configuration.connectTimeout = .seconds(2)
        expectUnavailable(try await outcome(of: [Self.step], configuration))
        try await withPool(text, configure: { $0.connectTimeout = .seconds(2) }) { pool in
            #expect(await failure { () throws(PostgresError) in try await pool.ping() } == .unavailable)
        }
    }

    @Test(arguments: ["user", "pg_backend_pid", "schema_migrations", "pg_advisory_lock", "CREATE TABLE step"])
    func `a server that falls silent while it is migrated is given up`(trigger: String) async throws {
        try await withServer(silentAt: trigger) { _, configuration async throws in
            expectUnavailable(try await outcome(of: [Self.step], configuration))
        }
    }

    @Test func `a connection that falls silent during a migration is given up, although its server answers others`() async throws
    {
        try await withServer(silentAt: "CREATE TABLE step", silencesAll: false) { proxy, configuration async throws in
            expectUnavailable(try await outcome(of: [Self.step], configuration))
            #expect(proxy.connectionCount > 1)
            let error = try await outcome(of: [], configuration)
            #expect(error == nil)
        }
    }

    @Test func `a step that takes longer than any query is waited for`() async throws {
        try await withServer { proxy, configuration async throws in
            var hasty = configuration
            hasty.deadline = .milliseconds(300)
            let long = Migration(version: 1, name: "long", sql: "CREATE TABLE long (id integer); SELECT pg_sleep(2)")
            let error = try await outcome(of: [long], hasty)
            #expect(error == nil)
            #expect(proxy.connectionCount > 3)
        }
    }

    @Test func `a query that a silent server does not answer is given up, and so is its connection`() async throws {
        try await withServer { proxy, configuration async throws in
            try await withPool(
                configuration.connectionString.revealedText,
                configure: {
                    $0.connectTimeout = .seconds(2)
                    $0.deadline = .milliseconds(500)
                    $0.connectionsPerLoop = 1
                }
            ) { pool in
                try await eventually { await pool.answers }
                proxy.mode = .silent
                #expect(await failure { () throws(PostgresError) in try await pool.ping() } == .deadlineExceeded)
                try await eventually {
                    await failure { () throws(PostgresError) in try await pool.ping() } == .unavailable
                }
                proxy.mode = .passing
                try await eventually { await pool.answers }
            }
        }
    }

    @Test func `the kernel has a time for what is not acknowledged, and libpq one for each address`() throws {
        var configuration = try PostgresConfiguration(connectionString: "host=a,b connect_timeout=0 tcp_user_timeout=7")
        configuration.connectTimeout = .seconds(3)
        configuration.deadline = .seconds(4)
        let parameters = ConnectionHandle.parameters(configuration)
        #expect(parameters.first { $0.keyword == "tcp_user_timeout" }?.value == "8000")
        #expect(parameters.first { $0.keyword == "keepalives" }?.value == "1")
        let order = parameters.firstIndex { $0.keyword == "dbname" } ?? 0
        #expect(parameters[order...].contains { $0.keyword == "connect_timeout" && $0.value == "3" })
        let own = try PostgresConfiguration(connectionString: "connect_timeout=9")
        let last = ConnectionHandle.parameters(own).lastIndex { $0.keyword == "connect_timeout" }
        #expect(last == 0)
    }
}
