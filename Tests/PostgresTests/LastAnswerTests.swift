import Glibc
import TestSupport
import Testing

@testable import Postgres

/// What a server answers just before it ends a connection.
@Suite(.needsOwnServer, .timeLimit(.minutes(5))) struct LastAnswerTests {
    private static let rows = Statement(name: "rows", sql: "SELECT repeat('x', 1000) FROM generate_series(1, 200)")

    @Test(arguments: [false, true])
    func `answers that come together with the end of the connection are used`(usesTLS: Bool) async throws {
        let directory = try TestDirectory()
        let certificate = try TestCertificate(names: ["IP:127.0.0.1"], in: directory)
        let port = try freePort()
        if geteuid() == 0, let user = getpwnam("postgres")?.pointee {
            for path in [directory.path, certificate.keyPath] { chown(path, user.pw_uid, user.pw_gid) }
        }
        let settings = [
            "listen_addresses=127.0.0.1", "port=\(port)", "ssl=on", "ssl_cert_file=\(certificate.certificatePath)",
            "ssl_key_file=\(certificate.keyPath)",
        ]
        let server = try TestPostgres(settings)
        let proxy = try SilencingProxy(to: port)
        defer { proxy.stop() }
        let text = "port=\(proxy.port) user=postgres dbname=postgres sslmode=\(usesTLS ? "require" : "disable") host=127.0.0.1"
        let direct = "port=\(port) user=postgres dbname=postgres host=127.0.0.1"
        try await withPool(text, configure: { $0.connectionsPerLoop = 1 }) { pool in
            try await withPool(direct) { other in
                let process = try await pool.processID()
                proxy.mode = .holding
                async let first = pool.query(Self.rows)
                async let second = pool.query(PostgresPool.processID)
                try await eventually {
                    // Both are in flight, and the server has carried them out.
                    let idle = Statement(
                        name: "idle",
                        sql: """
                            SELECT state = 'idle' AND query LIKE 'SELECT pg_backend_pid()%' AND state_change > query_start
                            FROM pg_stat_activity WHERE pid = $1
                            """)
                    let load = await pool.load
                    guard load == [2, 0] else { return false }
                    return try await other.query(idle, [.integer(process)])[0].bool(0)
                }
                try await Barrier.Keeper(pool: other).terminate(process)
                #expect(try await first.count == 200)
                #expect(try await second[0].int64(0) == process)
            }
            proxy.mode = .passing
            try await eventually { await pool.answers }
        }
        withExtendedLifetime(server) {}
    }
}
