import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation())
struct RefreshTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    static let required = #"{"error":"Refresh token required"}"#
    static let invalid = #"{"error":"Invalid refresh token"}"#

    private func refresh(_ token: String, rotate: Bool? = nil) async throws -> TestHTTPResponse {
        var body = JSONObject()
        body["refreshToken"] = .string(token)
        body["rotate"] = rotate.map { .bool($0) }
        return try await server.post("/auth/refresh", .object(body))
    }

    private func isGood(_ accessToken: String?) async throws -> Bool {
        try await server.get("/auth/me", bearer: accessToken).status == 200
    }

    @Test(arguments: ["{}", #"{"refreshToken":null}"#, #"{"refreshToken":""}"#, #"{"token":"x"}"#, "[]", "null"])
    func `without a token there is nothing to refresh`(_ body: String) async throws {
        let response = try await server.send(.json("POST", "/auth/refresh", Array(body.utf8)))
        #expect(response.status == 400)
        #expect(response.text == Self.required)
    }

    @Test(arguments: [nil, []] as [[UInt8]?])
    func `without a body there is nothing to refresh`(_ body: [UInt8]?) async throws {
        let response = try await server.send(TestHTTPRequest("POST", "/auth/refresh", body: body))
        #expect(response.status == 400)
        #expect(response.text == Self.required)
    }

    @Test(arguments: ["5", "1.5", "true", "{}", "[]", #"["x"]"#, #"{"$gt":""}"#])
    func `a token that is no text is none`(_ value: String) async throws {
        let response = try await server.send(.json("POST", "/auth/refresh", Array(#"{"refreshToken":\#(value)}"#.utf8)))
        #expect(response.status == 401)
        #expect(response.text == Self.invalid)
    }

    @Test(arguments: [
        "x", "kdr_", "kdr_AAAAAAAAAAAAAAAAAAAAAA.1.", "\r\nFLUSHALL\r\n", "*", "{hash}", "\0",
        String(repeating: "k", count: 4097),
    ])
    func `garbage is no token`(_ token: String) async throws {
        let response = try await refresh(token)
        #expect(response.status == 401)
        #expect(response.text == Self.invalid)
        #expect(response.value("WWW-Authenticate") == "Bearer realm=\"kidoban\"")
    }

    @Test func `an access token does not refresh`() async throws {
        let account = try await server.signUp()
        let response = try await refresh(account.accessToken)
        #expect(response.status == 401)
        #expect(response.text == Self.invalid)
    }

    @Test func `a token cut short, extended or in another case is none`() async throws {
        let token = try await server.signUp().refreshToken
        for wrong in [String(token.dropLast()), token + "A", token + "=", token.uppercased(), " " + token, token + "\n"] {
            #expect(try await refresh(wrong).status == 401)
        }
        #expect(try await refresh(token).status == 200)
    }

    @Test func `the refresh token stays`() async throws {
        let account = try await server.signUp()
        var tokens: Set<String> = [account.accessToken]
        for _ in 0..<3 {
            let response = try await refresh(account.refreshToken)
            #expect(response.status == 200)
            #expect(response.keys == ["accessToken"])
            #expect(response.value("Cache-Control") == "no-store")
            #expect(response.value("Content-Type") == "application/json; charset=utf-8")
            tokens.insert(try #require(response.json["accessToken"]?.stringValue))
        }
        #expect(tokens.count == 4)
        for token in tokens { #expect(try await isGood(token)) }
    }

    @Test func `a client that asks for it gets a new refresh token, now and from then on`() async throws {
        let account = try await server.signUp()
        let first = try await refresh(account.refreshToken, rotate: true)
        #expect(first.status == 200)
        #expect(first.keys == ["token", "accessToken", "refreshToken"])
        #expect(first.json["token"] == first.json["accessToken"])
        let second = try #require(first.json["refreshToken"]?.stringValue)
        #expect(second != account.refreshToken)
        let next = try await refresh(second)
        #expect(next.keys == ["token", "accessToken", "refreshToken"])
        #expect(next.json["refreshToken"] != .string(second))
    }

    @Test func `a session that began so rotates without asking`() async throws {
        let account = try await server.signUp(rotates: true)
        let response = try await refresh(account.refreshToken)
        #expect(response.keys == ["token", "accessToken", "refreshToken"])
        #expect(response.json["refreshToken"] != .string(account.refreshToken))
        let other = try await server.signIn(account, rotates: true)
        #expect(try await refresh(other.refreshToken).json["refreshToken"] != .string(other.refreshToken))
    }

    @Test func `a value that is neither true nor false is refused`() async throws {
        let account = try await server.signUp()
        let response = try await server.post(
            "/auth/refresh", ["refreshToken": .string(account.refreshToken), "rotate": "yes"])
        #expect(response.status == 400)
        let item = RegisterRefusalTests.wrongType("rotate", expected: "boolean", received: "string")
        #expect(response.text == #"{"error":"Invalid input","details":[\#(item)]}"#)
    }

    @Test func `a repeated refresh gets the same successor`() async throws {
        let account = try await server.signUp(rotates: true)
        let first = try await refresh(account.refreshToken)
        let second = try await refresh(account.refreshToken)
        #expect(second.json["refreshToken"] == first.json["refreshToken"])
        #expect(second.json["accessToken"] != first.json["accessToken"])
        #expect(try await isGood(first.json["accessToken"]?.stringValue))
    }

    @Test func `a copied refresh token ends the session`() async throws {
        let account = try await server.signUp(rotates: true)
        let other = try await server.signIn(account)
        let first = try #require(try await refresh(account.refreshToken).json["refreshToken"]?.stringValue)
        let second = try await refresh(first)
        let copied = try await refresh(account.refreshToken)
        #expect(copied.status == 401)
        #expect(copied.text == Self.invalid)
        #expect(try await !isGood(second.json["accessToken"]?.stringValue))
        #expect(try await !isGood(account.accessToken))
        #expect(try await refresh(try #require(second.json["refreshToken"]?.stringValue)).text == Self.invalid)
        #expect(try await isGood(other.accessToken))
    }

    @Test func `other paths lead here too`() async throws {
        let account = try await server.signUp()
        let response = try await server.post("/auth/refresh-token", ["refreshToken": .string(account.refreshToken)])
        #expect(response.status == 200)
    }

    @Test func `the session of a deleted account says so, and only to who holds its token`() async throws {
        let account = try await server.signUp()
        #expect(try await server.delete("/auth/me", bearer: account.accessToken).status == 204)
        let response = try await refresh(account.refreshToken)
        #expect(response.status == 401)
        #expect(response.text == #"{"error":"User not found"}"#)
        #expect(response.value("WWW-Authenticate") == "Bearer realm=\"kidoban\"")
        let forged = account.refreshToken.withOtherEnd
        #expect(try await refresh(forged).text == Self.invalid)
    }
}
