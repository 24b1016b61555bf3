import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation())
struct LogoutTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    private func isSignedIn(_ account: Account) async throws -> Bool {
        let me = try await server.get("/auth/me", bearer: account.accessToken).status
        let refresh = try await server.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)]).status
        #expect((me, refresh) == (200, 200) || (me, refresh) == (401, 401))
        return me == 200
    }

    @Test func `by its refresh token a session ends, and no other`() async throws {
        let account = try await server.signUp()
        let other = try await server.signIn(account)
        let response = try await server.post("/auth/logout", ["refreshToken": .string(account.refreshToken)])
        #expect(response.status == 204)
        #expect(response.body.isEmpty)
        #expect(try await !isSignedIn(account))
        #expect(try await isSignedIn(other))
    }

    @Test(arguments: [nil, "", "{}", #"{"refreshToken":null}"#, #"{"refreshToken":""}"#])
    func `by its access token a session ends when the body names none`(_ body: String?) async throws {
        let account = try await server.signUp()
        let other = try await server.signIn(account)
        var fields = [(name: "Authorization", value: "Bearer \(account.accessToken)")]
        if body != nil { fields.append(("Content-Type", "application/json")) }
        #expect(try await server.send("POST", "/auth/logout", fields, body: body).status == 204)
        #expect(try await !isSignedIn(account))
        #expect(try await isSignedIn(other))
    }

    @Test func `the token in the body goes before the one in the field`() async throws {
        let account = try await server.signUp()
        let other = try await server.signIn(account)
        let body: JSONValue = ["refreshToken": .string(other.refreshToken)]
        #expect(try await server.post("/auth/logout", body, bearer: account.accessToken).status == 204)
        #expect(try await isSignedIn(account))
        #expect(try await !isSignedIn(other))
    }

    @Test func `a token that is none has nothing left to end`() async throws {
        let account = try await server.signUp()
        let forged = account.refreshToken.withOtherEnd
        for token in ["x", "kdr_", forged, account.accessToken] {
            #expect(try await server.post("/auth/logout", ["refreshToken": .string(token)]).status == 204)
        }
        #expect(try await isSignedIn(account))
        for _ in 0..<2 {
            let again = try await server.post("/auth/logout", ["refreshToken": .string(account.refreshToken)])
            #expect(again.status == 204)
        }
    }

    @Test(arguments: [nil, "{}", "[]"])
    func `without any token there is nothing to end`(_ body: String?) async throws {
        let fields: [(name: String, value: String)] = body == nil ? [] : [("Content-Type", "application/json")]
        let response = try await server.send("POST", "/auth/logout", fields, body: body)
        #expect(response.status == 400)
        #expect(response.text == RefreshTests.required)
    }

    @Test func `an access token that is no longer good ends nothing`() async throws {
        let response = try await server.send("POST", "/auth/logout", [("Authorization", "Bearer x")])
        #expect(response.status == 401)
        #expect(response.text == MeTests.unauthorized)
    }
}
