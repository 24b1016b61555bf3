import TestSupport
import Testing
import Text

/// Everything that is not good is answered in the same words.
@Suite(.needsServers, .installation())
struct InactiveTokenTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    /// The answer about a token that never was, to which all others are compared.
    private func expectInactive(
        _ token: String, _ credentials: Credentials, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let unknown = try await server.introspect("kda_\(String(repeating: "A", count: 43))", credentials)
        let response = try await server.introspect(token, credentials)
        #expect(response.constantPart == unknown.constantPart, sourceLocation: sourceLocation)
        #expect(response.status == 200, sourceLocation: sourceLocation)
        #expect(response.text == #"{"active":false}"#, sourceLocation: sourceLocation)
        #expect(response.value("Content-Type") == "application/json", sourceLocation: sourceLocation)
        #expect(response.value("Cache-Control") == "no-store", sourceLocation: sourceLocation)
        #expect(response.value("Pragma") == "no-cache", sourceLocation: sourceLocation)
    }

    private func backend() async throws -> Credentials {
        try await #require(installation).backend()
    }

    @Test(arguments: [
        "x", "null", "*", "{hash}", "at:*", "\r\nFLUSHALL\r\n", "*1\r\n$8\r\nFLUSHALL\r\n", "' OR 1=1 --", "../..", "é🦊", " ",
        "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.", "a.b.c", "kdr_", "kdr_x", "kdr_AAAAAAAAAAAAAAAAAAAAAA.1.AAAA", "kda_", "kds_",
        String(repeating: "x", count: 64 * 1024), "kdr_" + String(repeating: "x", count: 64 * 1024),
    ])
    func `what never was a token`(_ token: String) async throws {
        try await expectInactive(token, await backend())
    }

    @Test func `a token that is not the very same`() async throws {
        let backend = try await backend()
        let account = try await server.signUp()
        for token in [account.accessToken, account.refreshToken] {
            for wrong in [
                String(token.dropLast()), String(token.dropFirst()), token + "A", token + "=", token + ".", token + " ",
                " " + token,
                token + "\n", token.uppercased(), token.lowercased(), Base64.encode(Array(token.utf8)), String(token.reversed()),
            ] { try await expectInactive(wrong, backend) }
        }
        #expect(try await server.introspect(account.accessToken, backend).json["active"] == true)
    }

    @Test func `a client secret, a user and a client`() async throws {
        let backend = try await backend()
        let account = try await server.signUp()
        for other in [backend.secret, backend.id, account.id, account.email] { try await expectInactive(other, backend) }
    }

    @Test func `a token of another audience`() async throws {
        let foreign = try await #require(installation).addClient("foreign", "--introspect", "--audience", "https://other.example")
        let longer = try await #require(installation).addClient(
            "longer", "--introspect", "--audience", "http://localhost:8080/longer")
        let shorter = try await #require(installation).addClient("shorter", "--introspect", "--audience", "http://localhost:808")
        let every = try await #require(installation).addClient("every", "--introspect", "--audience", "*")
        let several = try await #require(installation).addClient(
            "several", "--introspect", "--audience", "https://other.example", "--audience", "http://localhost:8080")
        let account = try await server.signUp()
        for client in [foreign, longer, shorter] { try await expectInactive(account.accessToken, client) }
        for client in [every, several] {
            #expect(try await server.introspect(account.accessToken, client).json["active"] == true)
        }
    }

    @Test func `a token of a session that has ended`() async throws {
        let backend = try await backend()
        let account = try await server.signUp()
        #expect(try await server.post("/auth/logout", ["refreshToken": .string(account.refreshToken)]).status == 204)
        for token in [account.accessToken, account.refreshToken] { try await expectInactive(token, backend) }
    }

    @Test func `a revoked token`() async throws {
        let backend = try await backend()
        let account = try await server.signUp()
        _ = try await server.form("/oauth2/revoke", [("client_id", "app"), ("token", account.accessToken)])
        try await expectInactive(account.accessToken, backend)
        _ = try await server.form("/oauth2/revoke", [("client_id", "app"), ("token", account.refreshToken)])
        try await expectInactive(account.refreshToken, backend)
    }

    @Test func `a refresh token, good or used up`() async throws {
        let backend = try await backend()
        let account = try await server.signUp(rotates: true)
        let second = try await server.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)]).json
        let third = try await server.post("/auth/refresh", ["refreshToken": try #require(second["refreshToken"])]).json
        try await expectInactive(account.refreshToken, backend)
        // To ask about a used token is not to use it.
        let current = try #require(third["refreshToken"]?.stringValue)
        try await expectInactive(current, backend)
        #expect(try await server.post("/auth/refresh", ["refreshToken": .string(current)]).status == 200)
    }

    @Test func `what opens something else: the cookies of a session`() async throws {
        let backend = try await backend()
        let account = try await server.signUp()
        let cookie = CookieClient(try server)
        #expect(try await cookie.logIn(account.email).status == 200)
        let secrets = cookie.cookies.values.filter { !$0.isEmpty }
        #expect(secrets.contains { $0.hasPrefix("kdc_") })
        for secret in secrets { try await expectInactive(secret, backend) }
    }

    @Test func `the tokens of a deleted user`() async throws {
        let backend = try await backend()
        let account = try await server.signUp()
        #expect(try await server.delete("/auth/me", bearer: account.accessToken).status == 204)
        for token in [account.accessToken, account.refreshToken] { try await expectInactive(token, backend) }
    }
}
