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

    @Test func `the code is bound to the key of the proof, and to no other`() async throws {
        try await Installation().run { installation in
            let server = try installation.server
            let client = try await installation.relyingParty("--native", "--first-party")
            let (key, now) = (try ProofKey(), installation.clock.now)
            func ask(_ fields: [(String, String)], _ nonce: String? = nil) async throws -> TestHTTPResponse {
                var request = TestHTTPRequest.form(Self.path, Self.request(client) + fields)
                request.fields.append(("DPoP", try key.proof("POST", Self.path, at: now, nonce: nonce)))
                return try await server.send(request)
            }
            let nonce = try #require(try await ask([]).value("DPoP-Nonce"))
            let other = try await ask([("dpop_jkt", try ProofKey().thumbprint)], nonce)
            #expect(other.status == 400 && other.json["error"] == "invalid_dpop_proof", "\(other.text)")
            for fields in [[], [("dpop_jkt", key.thumbprint)]] {
                #expect(try await ask(fields, nonce).json["error"] == "insufficient_authorization")
            }
        }
    }

    @Test func `an app gets a code only for the user and the strength of sign-in that it has asked for`() async throws {
        try await Installation().run { installation in
            let server = try installation.server
            let client = try await installation.relyingParty("--native", "--first-party")
            let (account, other) = (try await server.signUp(), try await server.signUp())
            func ask(_ claims: String, _ more: [(String, String)] = []) async throws -> TestHTTPResponse {
                let credentials = [("username", account.email), ("password", Account.password), ("claims", claims)]
                return try await TestHTTPResponse.retryingWhileOverloaded {
                    try await server.form(Self.path, Self.request(client) + credentials + more)
                }
            }
            let own = try await ask(#"{"id_token": {"sub": {"value": "\#(account.id)"}, "email": null}}"#)
            let code = try #require(own.json["authorization_code"]?.stringValue, "\(own.text)")
            let tokens = try await client.redeem(code, [("redirect_uri", nil)]).json
            let hint = try #require(tokens["id_token"]?.stringValue)
            #expect(
                String(decoding: Base64URL.decode(hint.split(separator: ".")[1]) ?? [], as: UTF8.self).contains(account.email))
            let others = try await ask(#"{"id_token": {"sub": {"value": "\#(other.id)"}}}"#)
            #expect(others.status == 403 && others.json["error"] == "insufficient_authorization", "\(others.text)")
            let strong = try await ask(#"{"id_token": {"acr": {"essential": true, "values": ["2"]}}}"#)
            #expect(strong.status == 400 && strong.json["error"] == "access_denied", "\(strong.text)")
            #expect(try await ask("{}", [("id_token_hint", hint)]).status == 200)
            #expect(try await ask("{}", [("id_token_hint", "nonsense")]).json["error"] == "invalid_request")
            #expect(try await ask("nonsense").json["error"] == "invalid_request")
        }
    }

    @Test func `a code from a mail signs in where it was asked for, once and in few tries`() async throws {
        try await Installation().run { installation in
            let server = try installation.server
            let client = try await installation.relyingParty("--native", "--first-party")
            let (account, stranger) = (try await server.signUp(), Account.newEmail())
            try installation.change(account.email, "email_verified = true")
            func ask(_ email: String) async throws -> TestHTTPResponse {
                try await server.form(Self.path, Self.request(client) + [("email", email)])
            }
            func enter(_ code: String, _ after: TestHTTPResponse) async throws -> TestHTTPResponse {
                let session = after.json["auth_session"]?.stringValue ?? ""
                return try await server.form(
                    Self.path, [("client_id", client.id), ("auth_session", session), ("mail_code", code)])
            }
            func mails() throws -> [String] {
                try installation.mails(to: account.email).filter { $0.kind == "sign_in_code" }.map(\.link)
            }
            let (asked, other) = (try await ask(account.email), try await ask(stranger))
            for answer in [asked, other, try await ask("no address")] {
                #expect(answer.status == 403 && answer.json["error"] == "insufficient_authorization", "\(answer.text)")
                #expect(answer.json["error_description"] == asked.json["error_description"])
            }
            #expect(asked.text.utf8.count == other.text.utf8.count)
            #expect(try installation.mails(to: stranger).isEmpty)
            let code = try #require(try mails().last)
            #expect(code.count == 8)
            let elsewhere = try await enter(code, other)
            #expect(elsewhere.json["error"] == "insufficient_authorization", "\(elsewhere.text)")
            let wrong = code == "00000000" ? "11111111" : "00000000"
            let right = try await enter("\(code.prefix(4)) \(code.suffix(4))", try await enter(wrong, asked))
            let authorization = try #require(right.json["authorization_code"]?.stringValue, "\(right.text)")
            #expect(try await client.redeem(authorization, [("redirect_uri", nil)]).status == 200)
            // The next code, after five wrong ones.
            var last = try await ask(account.email)
            let next = try #require(try mails().last)
            #expect(next != code)
            for _ in 0..<5 { last = try await enter(next == wrong ? "22222222" : wrong, last) }
            #expect(try await enter(next, last).json["error"] == "insufficient_authorization")
        }
    }

    @Test func `a code from a mail takes an account back whose address nobody had proved`() async throws {
        try await Installation().run { installation in
            let server = try installation.server
            let client = try await installation.relyingParty("--native", "--first-party")
            let account = try await server.signUp()
            let asked = try await server.form(Self.path, Self.request(client) + [("email", account.email)])
            let mail = try #require(try installation.mails(to: account.email).last { $0.kind == "sign_in_code" })
            let fields = [
                ("client_id", client.id), ("auth_session", asked.json["auth_session"]?.stringValue ?? ""),
                ("mail_code", mail.link),
            ]
            let right = try await server.form(Self.path, fields)
            #expect(right.status == 200, "\(right.text)")
            #expect(try await server.form(Self.path, fields).json["error"] == "invalid_session")
            #expect(try await server.get("/auth/me", bearer: account.accessToken).status == 401)
            let login: JSONValue = ["email": .string(account.email), "password": .string(Account.password)]
            #expect(try await server.post("/auth/login", login).status == 401)
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
