import Server
import TestSupport
import Testing
import Text

@Suite(.needsServers)
struct LogTests {
    /// The lines, each of which must be one JSON object.
    private func entries(_ log: TestLog) throws -> [JSONValue] {
        try log.lines.map { line in
            let entry = try JSON.parse(line)
            #expect(entry.keys.isSuperset(of: ["time", "level", "message"]), "\(line)")
            return entry
        }
    }

    @Test func `each request is a line with the id that its answer has`() async throws {
        let log = try TestLog()
        try await Installation(log: log).run { installation in
            let server = try installation.server
            let backend = try await installation.backend()
            let account = try await server.signUp()
            let answers = try await [
                server.get("/auth/me", bearer: account.accessToken), server.get("/nothing"), server.post("/auth/login", [:]),
                server.introspect(account.accessToken, backend), server.send("PUT", "/auth/me"),
                server.send("GET", "/auth/me", [("X-Request-Id", "given-by-the-caller")]),
            ]
            let entries = try entries(log).filter { $0["message"] == "request" }
            for answer in answers {
                let id = try #require(answer.value("X-Request-Id"))
                let lines = entries.filter { $0["request_id"] == .string(id) }
                #expect(lines.count == 1)
                #expect(lines.first?["status"] == .integer(Int64(answer.status)))
                #expect(lines.first?["peer"] == "127.0.0.1")
            }
            #expect(answers.last?.value("X-Request-Id") == "given-by-the-caller")
            #expect(Set(answers.compactMap { $0.value("X-Request-Id") }).count == answers.count)
        }
    }

    @Test func `a first start, on an empty database, tells of no error`() async throws {
        let log = try TestLog()
        try await Installation(log: log, TestProvider.configure).run { _ in
            try await eventually { try entries(log).contains { $0["message"] == "key set changed" } }
        }
        #expect(try entries(log).filter { $0["level"] == "error" } == [])
    }

    @Test func `no path and no query is in a line, but for the names of routes`() async throws {
        let log = try TestLog()
        let canary = "Canary-7f3Qx"
        try await Installation(log: log) { $0.logging.slowRequest = .nanoseconds(1) }.run { installation in
            let server = try installation.server
            let paths = try await server.get("/openapi.json").json["paths"]?.objectValue?.members.map(\.key) ?? []
            #expect(paths.contains { $0.contains("account-confirm-email/{") })
            for path in paths {
                let filled = path.split(separator: "/", omittingEmptySubsequences: false)
                    .map { $0.hasPrefix("{") ? canary : String($0) }.joined(separator: "/")
                let variants = [
                    filled, filled + "?token=\(canary)&\(canary)", filled + "/\(canary)", filled + canary, "/\(canary)" + filled,
                    String(filled.dropLast()) + canary, filled.hasSuffix("/") ? String(filled.dropLast()) : filled + "/",
                ]
                for variant in variants {
                    for method in ["GET", "POST", "DELETE", "PROPFIND"] { _ = try await server.send(method, variant) }
                }
            }
            let lines = try log.lines
            #expect(lines.filter { $0.contains("account-confirm-email/{") }.count >= 4)
            #expect(!lines.contains { $0.contains(canary) }, "\(lines.first { $0.contains(canary) } ?? "")")
            #expect(!(try await #require(installation.copies.first).operations.get("/metrics").text.contains(canary)))
        }
    }

    @Test func `no request can write a line of its own`() async throws {
        let log = try TestLog()
        try await Installation(log: log).run { installation in
            let server = try installation.server
            let forged = #"{"time":"2026-01-01T00:00:00.000Z","level":"error","message":"forged"}"#
            let account = try await server.signUp()
            var attempts = [
                TestHTTPRequest("GET", "/x%0d%0a\(forged.utf8.map { "%" + Hex.encode([$0]) }.joined())"),
                TestHTTPRequest("GET", "/auth/me", [("X-Request-Id", "a\r\n\(forged)")]),
                TestHTTPRequest("GET", "/auth/me", [("X-Request-Id", "a\u{1B}[2J")]),
                TestHTTPRequest("GET", "/auth/me?\(forged.utf8.map { "%" + Hex.encode([$0]) }.joined())"),
                TestHTTPRequest("GET", "/\u{1B}[2J\(forged)"), TestHTTPRequest("GET\n\(forged)", "/"),
                .json("POST", "/auth/login", Array("\n\(forged)\n".utf8)),
                .json("POST", "/auth/login", Array(#"{"email":"a\n\#(forged)","password":"\n\#(forged)"}"#.utf8)),
            ]
            for agent in ["\u{1B}[31mred", "a \(forged)", "a\u{85}\u{2028}b", "tab\there"] {
                var request = TestHTTPRequest.json(
                    "POST", "/auth/login",
                    JSONValue(dictionaryLiteral: ("email", .string(account.email)), ("password", "wrong password")).serialized)
                request.fields.append(("User-Agent", agent))
                attempts.append(request)
            }
            for attempt in attempts { _ = try await server.send(attempt) }
            let entries = try entries(log)
            #expect(!entries.contains { $0["message"] == "forged" })
            let known: Set = ["trace", "debug", "info", "warning"]
            #expect(entries.allSatisfy { known.contains($0["level"]?.stringValue ?? "") })
            #expect(try log.lines.allSatisfy { $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } })
        }
    }
}
