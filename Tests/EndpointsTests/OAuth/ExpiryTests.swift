import Server
import TestSupport
import Testing
import Text

/// What time does to tokens.
@Suite(.needsServers, .timeLimit(.minutes(5)))
struct ExpiryTests {
    @Test func `a token that has expired is not good`() async throws {
        try await Installation { $0.tokens.accessTokenLifetime = .milliseconds(200) }.run { installation in
            let server = try installation.server
            let backend = try await installation.backend()
            let account = try await server.signUp()
            // Redis forgets it by itself.
            try await eventually { try await server.introspect(account.accessToken, backend).text == #"{"active":false}"# }
            #expect(try await server.get("/auth/me", bearer: account.accessToken).status == 401)
            #expect(try await server.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)]).status == 200)
        }
    }

    @Test func `the token of a deleted user finds no user until it expires, and is then like any other`() async throws {
        try await Installation().run { installation in
            let server = try installation.server
            let account = try await server.signUp()
            #expect(try await server.delete("/auth/me", bearer: account.accessToken).status == 204)
            installation.clock.advance(by: .seconds(899))
            #expect(try await server.get("/auth/me", bearer: account.accessToken).status == 404)
            installation.clock.advance(by: .seconds(1))
            #expect(try await server.get("/auth/me", bearer: account.accessToken).status == 401)
        }
    }

    @Test func `a refresh is forgiven for a minute, recovered for a day, and then betrays a copy`() async throws {
        try await Installation().run { installation in
            let server = try installation.server
            func refresh(_ token: String) async throws -> TestHTTPResponse {
                try await server.post("/auth/refresh", ["refreshToken": .string(token)])
            }
            let account = try await server.signUp(rotates: true)
            let first = try await refresh(account.refreshToken).json
            installation.clock.advance(by: .seconds(59))
            #expect(try await refresh(account.refreshToken).json["refreshToken"] == first["refreshToken"])
            installation.clock.advance(by: .seconds(2))
            let recovered = try await refresh(account.refreshToken)
            #expect(recovered.status == 200)
            #expect(recovered.json["refreshToken"] != first["refreshToken"])
            #expect(try await server.get("/auth/me", bearer: first["accessToken"]?.stringValue).status == 401)
            installation.clock.advance(by: .seconds(86_400))
            #expect(try await refresh(account.refreshToken).status == 401)
            #expect(try await server.get("/auth/me", bearer: recovered.json["accessToken"]?.stringValue).status == 401)
        }
    }
}
