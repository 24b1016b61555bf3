import TestSupport
import Testing
import Text

/// What the app API says to requests that reach none of its endpoints.
@Suite(.needsServers, .installation())
struct AppAPITests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    static let posts = [
        "/auth/register", "/auth/login", "/auth/refresh", "/auth/refresh-token", "/auth/logout", "/auth/oauth",
        "/auth/oauth/login", "/auth/oauth-login",
    ]

    private func expect(
        _ response: TestHTTPResponse, _ status: Int, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status == status, sourceLocation: sourceLocation)
        #expect(response.text == #"{"error":"\#(text)"}"#, sourceLocation: sourceLocation)
        #expect(response.value("Content-Type") == "application/json; charset=utf-8", sourceLocation: sourceLocation)
        #expect(response.value("Cache-Control") == "no-store", sourceLocation: sourceLocation)
        #expect(response.value("X-Request-Id")?.isEmpty == false, sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        "/", "/auth", "/auth/", "/auth/me//", "//auth/me", "/AUTH/ME", "/auth/%6de", "/auth/./me", "/auth/sessions/",
        "/auth/oauth//", "/auth/oauth/google", "/auth/identities/a/b",
        "/auth/sessions/a/b", "/nothing", "/metrics", "/health/live", "/health/ready", "/auth/me;x", "/auth/me%00",
    ])
    func `what is not there is not found`(_ path: String) async throws {
        expect(try await server.get(path), 404, "Not found")
    }

    @Test(arguments: [
        ("/auth/register", "POST"), ("/auth/login", "POST"), ("/auth/refresh", "POST"), ("/auth/logout", "POST"),
        ("/auth/me", "DELETE, GET, HEAD, PATCH"), ("/auth/sessions", "DELETE, GET, HEAD"), ("/auth/sessions/x", "DELETE"),
        ("/auth/oauth", "POST"), ("/auth/oauth/login", "POST"), ("/auth/oauth-login", "POST"),
        ("/auth/identities", "DELETE, GET, HEAD, POST"), ("/auth/identities/x", "DELETE"),
    ])
    func `another method is not allowed`(_ path: String, _ allowed: String) async throws {
        let permitted = allowed.split(separator: ", ")
        for method in ["PUT", "OPTIONS", "TRACE", "PROPFIND", "GET", "DELETE", "POST"]
        where !permitted.contains(Substring(method)) {
            let response = try await server.send(method, path, [("Canary", "echo")])
            expect(response, 405, "Method not allowed")
            #expect(response.value("Allow") == allowed)
        }
    }

    @Test func `a slash at the end of the path makes no difference, as in Express`() async throws {
        let account = try await server.signUp()
        let body: JSONValue = ["email": .string(account.email), "password": .string(Account.password)]
        #expect(try await server.post("/auth/login/", body).status == 200)
        #expect(try await server.get("/auth/me/", bearer: account.accessToken).status == 200)
        for path in Self.posts { #expect(try await server.post(path + "/", []).status == 400) }
    }

    @Test func `a session without its id ends no session`() async throws {
        let account = try await server.signUp()
        #expect(try await server.delete("/auth/sessions/", bearer: account.accessToken).status == 404)
        #expect(try await server.get("/auth/me", bearer: account.accessToken).status == 200)
    }

    @Test(arguments: ["/auth/register", "/auth/login", "/auth/oauth"])
    func `without a body the fields that are missing are named`(_ path: String) async throws {
        let json = [(name: "Content-Type", value: "application/json")]
        let missing = try await server.send("POST", path, json, body: "{}").text
        #expect(missing.contains(#""path":["email"],"message":"Required""#), "\(missing)")
        for fields in [[], json] {
            let response = try await server.send("POST", path, fields)
            #expect(response.status == 400)
            #expect(response.text == missing)
        }
    }

    @Test(
        arguments: posts,
        [
            nil, "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx",
            "application/json; charset=utf-16", "application/json; charset=latin1", "application/json, text/plain",
            "text/html; application/json",
        ] as [String?])
    func `another content type is not supported`(_ path: String, _ type: String?) async throws {
        let fields = type.map { [(name: "Content-Type", value: $0)] } ?? []
        expect(try await server.send("POST", path, fields, body: "{}"), 415, "Unsupported media type")
    }

    @Test(arguments: ["gzip", "br", "deflate, gzip", "zstd"])
    func `a compressed body is not supported`(_ coding: String) async throws {
        let fields = [(name: "Content-Type", value: "application/json"), (name: "Content-Encoding", value: coding)]
        expect(try await server.send("POST", "/auth/login", fields, body: "{}"), 415, "Unsupported media type")
    }

    @Test(arguments: [
        "application/json", "Application/JSON", "application/json; charset=utf-8", #"application/json;charset="UTF-8""#,
        "application/json; charset=utf8",
    ])
    func `JSON is known by any of its names`(_ type: String) async throws {
        let response = try await server.send("POST", "/auth/refresh", [("Content-Type", type)], body: "{}")
        #expect(response.text == RefreshTests.required)
    }

    @Test func `a body up to the limit is read, and one beyond it is not waited for`() async throws {
        let limit = 1024 * 1024
        let start = #"{"email":""#
        let largest = start + String(repeating: "a", count: limit - start.utf8.count - 2) + #""}"#
        let read = try await server.send(.json("POST", "/auth/register", Array(largest.utf8)))
        #expect(read.status == 400)
        #expect(read.text.contains("Invalid email"))
        let head =
            "POST /auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: \(limit + 1)\r\n\r\n"
        let (refused, isEnded) = try await server.converse { connection in
            try connection.send(Array(head.utf8))
            return (try connection.receive(), try connection.isEnded())
        }
        expect(refused, 413, "Payload too large")
        #expect(refused.value("Connection") == "close")
        #expect(isEnded)
    }

    @Test func `a chunked body beyond the limit is refused`() async throws {
        let chunk = "40000\r\n" + String(repeating: "a", count: 0x40000) + "\r\n"
        let head = "POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        let refused = try await server.converse { connection in
            try connection.send(Array((head + String(repeating: chunk, count: 4) + "1\r\na\r\n").utf8))
            return try connection.receive()
        }
        expect(refused, 413, "Payload too large")
    }

    @Test(arguments: [
        ("GET /auth/me HTTP/1.1\r\n\r\n", 400), ("GET /auth/me HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        ("GET /auth/me HTTP/3.0\r\nHost: a\r\n\r\n", 505), ("get /auth/me\r\n\r\n", 400),
        ("GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        ("GET /auth/me HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 17_000))\r\n\r\n", 431),
        ("POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    ])
    func `what is no request is refused in JSON too, and the connection ends`(_ bytes: String, _ status: Int) async throws {
        let (response, isEnded) = try await server.converse { connection in
            try connection.send(Array(bytes.utf8))
            return (try connection.receive(), try connection.isEnded())
        }
        #expect(response.status == status)
        #expect(response.keys == ["error"])
        #expect(response.json["error"]?.stringValue?.hasPrefix("Bad request: ") == true)
        #expect(response.value("Content-Type") == "application/json; charset=utf-8")
        #expect(response.value("Connection") == "close")
        #expect(isEnded)
    }

    @Test func `the request id of a caller comes back, when it is one`() async throws {
        let good = try await server.send("GET", "/auth/me", [("X-Request-Id", "trace-1.2_3")])
        #expect(good.value("X-Request-Id") == "trace-1.2_3")
        for bad in ["two words", "a\tb", "<script>", String(repeating: "a", count: 129)] {
            let response = try await server.send("GET", "/auth/me", [("X-Request-Id", bad)])
            #expect(response.value("X-Request-Id") != bad)
            #expect(response.value("X-Request-Id")?.isEmpty == false)
        }
    }
}
