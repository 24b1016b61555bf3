import Server
import TestSupport
import Testing
import Text

/// What the log says of slow requests and of traces.
@Suite(.needsServers)
struct SlowRequestTests {
    private static let phases = [
        "head_us", "body_us", "postgres_us", "redis_us", "hashing_us", "outbound_us", "rest_us", "answer_us",
    ]
    private static let traceParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private func number(_ name: String, _ entry: JSONValue) throws -> Int64 {
        guard case .integer(let number)? = entry[name] else {
            Issue.record("\(name) is missing")
            return -1
        }
        return number
    }

    private func entries(_ log: TestLog, _ message: String) throws -> [JSONValue] {
        try log.lines.map { try JSON.parse($0) }.filter { $0["message"] == .string(message) }
    }

    @Test func `a slow request says where its time went, each on a connection for itself`() async throws {
        let log = try TestLog()
        try await Installation(log: log) { $0.logging.slowRequest = .nanoseconds(1) }.run { installation in
            let server = try installation.server
            let backend = try await installation.backend()
            let account = try await server.signUp()
            let login = TestHTTPRequest.json(
                "POST", "/auth/login",
                JSONValue(dictionaryLiteral: ("email", .string(account.email)), ("password", .string(Account.password)))
                    .serialized)
            let introspect = TestHTTPRequest.form("/oauth2/introspect", [("token", account.accessToken)], backend)
            let answers = try await server.converse { connection in
                try [login, introspect, TestHTTPRequest("GET", "/nothing")].map { try connection.exchange($0) }
            }
            #expect(answers.map(\.status) == [200, 200, 404])
            let lines = try entries(log, "slow request")
            let slow = try answers.map { answer in
                let id = try #require(answer.value("X-Request-Id"))
                return try #require(lines.first { $0["request_id"] == .string(id) })
            }
            for line in slow {
                let sum = try Self.phases.map { try number($0, line) }.reduce(0, +)
                let duration = try number("duration_us", line)
                // Each is cut to whole microseconds.
                #expect((duration - Int64(Self.phases.count)...duration).contains(sum), "\(line)")
                #expect(line["level"] == "warning")
                #expect(line["peer"] == "127.0.0.1")
            }
            for name in ["postgres_us", "redis_us", "hashing_us"] { #expect(try number(name, slow[0]) > 0, "\(name)") }
            #expect(try number("redis_us", slow[1]) > 0)
            // Nothing is left of the request before.
            for name in ["hashing_us", "outbound_us"] { #expect(try number(name, slow[1]) == 0, "\(name)") }
            for name in ["postgres_us", "redis_us", "hashing_us"] { #expect(try number(name, slow[2]) == 0, "\(name)") }
        }
    }

    @Test(arguments: [Duration.zero, .seconds(3600)])
    func `a request that is not slow enough is no line`(_ slow: Duration) async throws {
        let log = try TestLog()
        try await Installation(log: log) { $0.logging.slowRequest = slow }.run { installation in
            _ = try await installation.server.signUp()
            #expect(try entries(log, "slow request").isEmpty)
            #expect(try !entries(log, "request").isEmpty)
        }
    }

    @Test func `a request that belongs to a trace says so, with a span of its own`() async throws {
        let log = try TestLog()
        try await Installation(log: log) { $0.logging.slowRequest = .nanoseconds(1) }.run { installation in
            let server = try installation.server
            let answers = try await [
                server.send("GET", "/auth/me", [("traceparent", Self.traceParent), ("tracestate", "a=b")]),
                server.send("GET", "/auth/me", [("TraceParent", Self.traceParent)]),
                server.send("GET", "/auth/me", [("traceparent", Self.traceParent.uppercased())]), server.send("GET", "/auth/me"),
            ]
            // The answer is the same with and without.
            for answer in answers { #expect(answer.fields.count == answers[3].fields.count) }
            let requests = try entries(log, "request")
            let slow = try entries(log, "slow request")
            var spans: Set<String> = []
            for (index, answer) in answers.enumerated() {
                let id = try #require(answer.value("X-Request-Id"))
                let lines = (requests + slow).filter { $0["request_id"] == .string(id) }
                #expect(lines.count == 2)
                for line in lines {
                    guard index < 2 else {
                        #expect(line.keys.isDisjoint(with: ["trace_id", "parent_id", "span_id"]))
                        continue
                    }
                    #expect(line["trace_id"] == "4bf92f3577b34da6a3ce929d0e0e4736")
                    #expect(line["parent_id"] == "00f067aa0ba902b7")
                    spans.insert(try #require(line["span_id"]?.stringValue))
                }
            }
            #expect(spans.count == 2)
            #expect(spans.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{16}/) != nil })
        }
    }
}
