import TestSupport
import Testing
import Text

/// Sign-in on the screens of the team's own app (draft-ietf-oauth-first-party-apps).
@Suite(.needsServers)
struct AuthorizationChallengeTests {
    private static let path = "/oauth2/authorize-challenge"

    private static func request(_ client: RelyingParty) -> [(String, String)] {
        [
            ("client_id", client.id), ("scope", "openid"), ("code_challenge", RelyingParty.challenge),
            ("code_challenge_method", "S256"),
        ]
    }

    @Test func `an app gets a code in steps, each of which counts once`() async throws {
        try await Installation().run { installation in
            let server = try installation.server
            let client = try await installation.relyingParty("--native", "--first-party")
            let account = try await server.signUp()
            // The draft lets the app say it, too.
            let first = try await server.form(Self.path, Self.request(client) + [("response_type", "code")])
            #expect(first.status == 403 && first.json["error"] == "insufficient_authorization", "\(first.text)")
            let other = try await server.form(Self.path, Self.request(client) + [("response_type", "token")])
            #expect(other.json["error"] == "unsupported_response_type", "\(other.text)")
            func step(_ session: JSONValue?, _ password: String) async throws -> TestHTTPResponse {
                try await TestHTTPResponse.retryingWhileOverloaded {
                    try await server.form(
                        Self.path,
                        [
                            ("client_id", client.id), ("auth_session", session?.stringValue ?? ""), ("username", account.email),
                            ("password", password),
                        ])
                }
            }
            let session = first.json["auth_session"]
            let wrong = try await step(session, "wrong password")
            #expect(wrong.json["error"] == "insufficient_authorization", "\(wrong.text)")
            #expect(try await step(session, Account.password).json["error"] == "invalid_session")
            let right = try await step(wrong.json["auth_session"], Account.password)
            #expect(try await step(wrong.json["auth_session"], Account.password).json["error"] == "invalid_session")
            let code = try #require(right.json["authorization_code"]?.stringValue, "\(right.text)")
            let tokens = try await client.redeem(code, [("redirect_uri", nil)])
            #expect(tokens.status == 200, "\(tokens.text)")
        }
    }

    @Test(.needsOwnPostgres, .timeLimit(.minutes(5))) func `a step that an outage has stopped can be repeated`() async throws {
        let postgres = try TestPostgres()
        try await Installation(databaseURL: postgres.connectionString).run { installation in
            let server = try installation.server
            let client = try await installation.relyingParty("--native", "--first-party")
            let account = try await server.signUp()
            var first = try await server.form(Self.path, Self.request(client))
            // Until each loop knows the client.
            for _ in 0..<60 { first = try await server.form(Self.path, Self.request(client)) }
            let fields = [
                ("client_id", client.id), ("auth_session", first.json["auth_session"]?.stringValue ?? ""),
                ("username", account.email), ("password", Account.password),
            ]
            postgres.stop(.fast)
            #expect(try await server.form(Self.path, fields).status == 503)
            try postgres.start()
            let copy = installation.copies[0]
            try await eventually { try await copy.operations.get("/health/ready").status == 200 }
            try await eventually { try await server.form(Self.path, fields).status == 200 }
        }
    }
}
