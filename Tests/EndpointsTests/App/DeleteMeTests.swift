import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation(copies: 2))
struct DeleteMeTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    @Test func `with the account everything of it is gone, on every copy`() async throws {
        let installation = try #require(installation)
        let backend = try await installation.backend()
        let account = try await server.signUp(rotates: true)
        let other = try await server.signIn(account)
        let refreshed = try await server.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)]).json
        let response = try await server.delete("/auth/me", bearer: other.accessToken)
        #expect(response.status == 204)
        #expect(response.body.isEmpty)
        let accessTokens = [account.accessToken, other.accessToken, refreshed["accessToken"]?.stringValue ?? ""]
        let refreshTokens = [account.refreshToken, other.refreshToken, refreshed["refreshToken"]?.stringValue ?? ""]
        for copy in installation.copies {
            for token in accessTokens + refreshTokens {
                #expect(try await copy.http.introspect(token, backend).text == #"{"active":false}"#)
            }
            for token in accessTokens {
                #expect(try await copy.http.get("/auth/me", bearer: token).status == 404)
                #expect(try await copy.http.get("/auth/sessions", bearer: token).status == 404)
                #expect(try await copy.http.patch("/auth/me", ["name": "x"], bearer: token).status == 404)
                #expect(try await copy.http.delete("/auth/me", bearer: token).status == 404)
            }
            for token in refreshTokens {
                let refresh = try await copy.http.post("/auth/refresh", ["refreshToken": .string(token)])
                #expect(refresh.status == 401)
            }
            let login: JSONValue = ["email": .string(account.email), "password": .string(Account.password)]
            #expect(try await copy.http.post("/auth/login", login).text == #"{"error":"Invalid email or password"}"#)
        }
        let rows = try TestDatabase.rows(
            "SELECT 1 FROM users WHERE id = '\(account.id)'", on: installation.databaseURL)
        #expect(rows.isEmpty)
    }

    @Test func `the address is free again, for another account`() async throws {
        let account = try await server.signUp()
        #expect(try await server.delete("/auth/me", bearer: account.accessToken).status == 204)
        let body: JSONValue = ["email": .string(account.email), "password": .string(Account.password)]
        let again = try Account(await server.post("/auth/register", body))
        #expect(again.id != account.id)
        #expect(try await server.get("/auth/me", bearer: account.accessToken).status == 404)
        #expect(try await server.get("/auth/me", bearer: again.accessToken).status == 200)
    }

    @Test func `nobody deletes anything without a token`() async throws {
        #expect(try await server.delete("/auth/me").status == 401)
    }
}
