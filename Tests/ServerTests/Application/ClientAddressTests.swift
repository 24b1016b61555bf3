import Glibc
import TestSupport
import Testing
import Text

/// Where a client's address ends up: in the audit events and in the log.
@Suite(.needsProgram, .timeLimit(.minutes(5)))
struct ClientAddressTests {
    private static let signUp = #"{"email":"user@example.com","password":"correct horse battery"}"#

    private func signUp(_ changes: [String: String], _ fields: [(name: String, value: String)]) async throws -> (
        address: [[String?]], lines: [JSONValue], metrics: String
    ) {
        let environment = try TestEnvironment()
        let server = try await RunningServer(environment.with(changes))
        try await eventually { try await server.isReady() }
        let response = try await server.http.send(
            "POST", "/auth/register", [("Content-Type", "application/json")] + fields, body: Self.signUp)
        #expect(response.status == 201)
        for _ in 0..<3 { _ = try await server.http.send("GET", "/auth/me", fields) }
        let metrics = try await server.operations.send("GET", "/metrics", fields).text
        server.process.send(SIGTERM)
        #expect(try await server.exitStatus() == 0)
        let address = try TestDatabase.rows(
            "SELECT address FROM audit_events WHERE kind = 'user_signed_up'", on: environment.database.connectionString)
        return (address, try server.log.split(separator: "\n").map { try JSON.parse(String($0)) }, metrics)
    }

    @Test func `behind a trusted proxy it is the client's own`() async throws {
        let outcome = try await signUp(
            ["KIDOBAN_TRUSTED_PROXIES": "127.0.0.0/8"], [("X-Forwarded-For", "203.0.113.9, 198.51.100.7")])
        #expect(outcome.address == [["198.51.100.7"]])
        let requests = outcome.lines.filter { $0["message"] == "request" && $0["path"] == "/auth/register" }
        #expect(requests.map { $0["peer"] } == ["127.0.0.1"])
        #expect(requests.map { $0["client"] } == ["198.51.100.7"])
        #expect(outcome.metrics.contains("kidoban_forwarded_refused_total{reason=\"untrusted_peer\"} 0\n"))
    }

    @Test func `what others say is counted, warned of once, and nowhere else`() async throws {
        let outcome = try await signUp(["KIDOBAN_LOOPS": "2"], [("X-Forwarded-For", "203.0.113.9")])
        #expect(outcome.address == [["127.0.0.1"]])
        #expect(outcome.lines.allSatisfy { $0["client"] == nil })
        let warnings = outcome.lines.filter { $0["level"] == "warning" && $0["peer"] != nil && $0["path"] == nil }
        #expect(warnings.count == 1)
        #expect(warnings.first?["request_id"] != nil)
        #expect(!outcome.lines.contains { $0["message"]?.stringValue?.contains("203.0.113") == true })
        #expect(outcome.metrics.contains("kidoban_forwarded_refused_total{reason=\"untrusted_peer\"} 4\n"))
    }
}
