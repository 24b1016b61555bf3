import Glibc
import Networking
import TestSupport
import Testing

@testable import Server

/// `kidoban health` beside a server of the same environment.
@Suite(.needsProgram, .timeLimit(.minutes(5)))
struct HealthTests {
    private func health(at port: UInt16) async throws -> Kidoban.Outcome {
        try await Kidoban.run("health", environment: ["KIDOBAN_OPERATIONS_LISTEN": "0.0.0.0:\(port)"])
    }

    @Test func `a server that is ready is healthy until it is told to end`() async throws {
        let environment = try TestEnvironment()
        let server = try await RunningServer(environment.with(["KIDOBAN_DRAIN_DELAY": "5m"]))
        try await eventually { try await server.isReady() }
        // It waits no longer than four seconds, which a busy machine may take.
        try await eventually {
            let ready = try await health(at: server.operations.port)
            return ready.status == 0 && ready.output == "ready\n"
        }
        // It runs with what it has, whatever has been written to the settings since.
        let directory = try TestDirectory()
        try TestFile.write("KIDOBAN_LOOPS=many\n", to: "\(directory.path)/settings")
        let other = [
            "KIDOBAN_OPERATIONS_LISTEN": "127.0.0.1:\(server.operations.port)",
            "KIDOBAN_SETTINGS_FILE": "\(directory.path)/settings",
        ]
        try await eventually { try await Kidoban.run("health", environment: other).status == 0 }
        server.process.send(SIGTERM)
        try await eventually { try await !server.isReady() }
        try await eventually {
            let draining = try await health(at: server.operations.port)
            #expect(draining.status == 1)
            return draining.output == "kidoban: not ready: draining\n"
        }
        server.process.send(SIGTERM)
        _ = try await server.exitStatus()
    }

    @Test func `what is missing is named`() async throws {
        let environment = try TestEnvironment()
        let server = try await RunningServer(environment.with(["REDIS_URL": "redis://127.0.0.1:1"]))
        let said = "kidoban: not ready: unavailable (redis)\n"
        try await eventually { try await health(at: server.operations.port).output == said }
        server.process.send(SIGTERM)
        #expect(try await server.exitStatus() == 0)
    }

    @Test func `where nobody listens, nobody is healthy`() async throws {
        let outcome = try await health(at: 1)
        #expect(outcome.status == 1)
        #expect(outcome.output.hasPrefix("kidoban: 127.0.0.1:1 does not answer"))
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\n\r\nready", "", "220 mail.example.com\r\n", "HTTP/1.1 200 OK\r\n\r\n{}"])
    func `another server is not taken for Kidoban`(_ answer: String) async throws {
        let listener = try TestSocket(listeningOn: 0)
        async let outcome = health(at: listener.port)
        try await onThread {
            let asked = try listener.accept()
            _ = try asked.receive()
            try asked.send([UInt8](answer.utf8))
        }
        #expect(try await outcome.status == 1)
        #expect(try await outcome.output == "kidoban: what listens on 127.0.0.1:\(listener.port) is not Kidoban\n")
    }

    @Test(arguments: [
        ("0.0.0.0:9090", "127.0.0.1:9090"), ("[::]:9090", "[::1]:9090"), ("127.0.0.1:1", "127.0.0.1:1"),
        ("192.0.2.7:9090", "192.0.2.7:9090"), ("[2001:db8::1]:9090", "[2001:db8::1]:9090"),
    ])
    func `a server that listens everywhere is asked on loopback`(_ listening: String, _ asked: String) throws {
        let address = try #require(SocketAddress(listening: listening))
        #expect(Health.reachable(address).description == asked)
    }
}
