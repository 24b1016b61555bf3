import Crypto
import JOSE
import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation())
struct IntrospectBatchTests {
    static let path = "/oauth2/introspect/batch"

    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    private func ask(_ body: JSONValue, _ credentials: Credentials) async throws -> TestHTTPResponse {
        var request = TestHTTPRequest.json("POST", Self.path, body.serialized)
        request.fields.append(("Authorization", credentials.basic))
        return try await server.send(request)
    }

    private func ask(_ tokens: [String], _ credentials: Credentials) async throws -> TestHTTPResponse {
        try await ask(["tokens": .array(tokens.map { .string($0) })], credentials)
    }

    @Test func `each answer is the one that the token gets alone`() async throws {
        let installation = try #require(installation)
        let backend = try await installation.backend()
        let (one, other) = (try await server.signUp(), try await server.signUp())
        let gone = try await server.signUp()
        #expect(try await server.delete("/auth/me", bearer: gone.accessToken).status == 204)
        let tokens = [
            one.accessToken, one.refreshToken, other.accessToken, gone.accessToken, "x", one.accessToken, "ü\u{0} ",
        ]
        let orders = try await installation.addClient("orders", "--introspect", "--audience", "orders")
        for client in [backend, orders] {
            var alone: [JSONValue] = []
            for token in tokens.dropLast() { alone.append(try await server.introspect(token, client).json) }
            alone.append(["active": false])
            let response = try await ask(tokens, client)
            #expect(response.status == 200)
            #expect(response.value("Cache-Control") == "no-store")
            #expect(response.json["answers"] == .array(alone))
            let form = try await server.form(Self.path, tokens.dropLast().map { ("token", $0) }, client)
            #expect(form.json["answers"] == .array(Array(alone.dropLast())))
        }
    }

    private static func withHint(_ hint: JSONValue) -> JSONValue { ["tokens": ["x"], "token_type_hint": hint] }

    @Test func `a hundred tokens and no more`() async throws {
        let backend = try await #require(installation).backend()
        let account = try await server.signUp()
        let response = try await ask(Array(repeating: account.accessToken, count: 100), backend)
        #expect(response.status == 200)
        #expect(response.json["answers"]?.arrayValue?.count == 100)
        #expect(response.json["answers"]?.arrayValue?.allSatisfy { $0["active"] == true } == true)
        #expect(try await ask(Array(repeating: "x", count: 101), backend).status == 400)
        // In a form, what comes with them takes no token's place.
        let many = Array(repeating: ("token", account.accessToken), count: 100)
        let inForm = many + [("cache", "1"), ("client_id", backend.id), ("client_secret", backend.secret)]
        #expect(try await server.form(Self.path, inForm).json["answers"]?.arrayValue?.count == 100)
        for body in [many + [("token", "x")], many + many] {
            let refused = try await server.form(Self.path, body, backend)
            #expect(refused.status == 400)
            #expect(refused.json["error_description"] == "there are more than 100 tokens")
        }
        let malformed: [JSONValue] = [
            ["tokens": []], [:], ["tokens": [1]], ["tokens": "x"], [], Self.withHint(1), Self.withHint(true),
        ]
        for body in malformed {
            let refused = try await ask(body, backend)
            #expect(refused.status == 400)
            #expect(refused.json["error"] == "invalid_request")
        }
    }

    @Test func `whoever has not proved to be a client that may learns nothing`() async throws {
        let installation = try #require(installation)
        let account = try await server.signUp()
        let backend = try await installation.backend()
        #expect(try await ask([account.accessToken], Credentials(id: backend.id, secret: "wrong")).status == 401)
        #expect(try await ask([account.accessToken], try await installation.addClient("other")).status == 403)
        let twice = [("token", account.accessToken), ("client_id", "x"), ("client_secret", "y")]
        #expect(try await server.form(Self.path, twice, backend).status == 400)
        let inForm = [("client_id", backend.id), ("client_secret", backend.secret), ("token", account.accessToken)]
        #expect(try await server.form(Self.path, inForm).json["answers"]?[0]?["active"] == true)
    }

    @Test func `who asks for it is told until when an answer may be remembered`() async throws {
        let backend = try await #require(installation).backend()
        let account = try await server.signUp()
        let now = TestClock.start.seconds
        let single = try await server.form("/oauth2/introspect", [("token", account.accessToken), ("cache", "1")], backend)
        #expect(single.json["cache_until"] == .integer(now + 300))
        #expect(try await server.introspect(account.accessToken, backend).json["cache_until"] == nil)
        let body: JSONValue = ["tokens": [.string(account.accessToken), "x"], "cache": true]
        let batch = try await ask(body, backend)
        #expect(batch.json["answers"]?[0]?["cache_until"] == .integer(now + 300))
        #expect(batch.json["answers"]?[1] == ["active": false])
    }

    @Test(arguments: [
        "application/token-introspection+jwt", "application/json;q=0.5, Application/Token-Introspection+JWT",
        "application/json, application/token-introspection+jwt", "application/token-introspection+jwt;q=0.2, */*;q=0.1",
        "application/json;q=0.1, application/*;q=0.9, application/token-introspection+jwt;q=0.2",
    ])
    func `an answer is signed for who asks for that`(_ accept: String) async throws {
        let backend = try await #require(installation).backend()
        let account = try await server.signUp()
        let keys = try JWKSet.parse(await server.get("/.well-known/jwks.json").body)
        for token in [account.accessToken, "x"] {
            var request = TestHTTPRequest.form("/oauth2/introspect", [("token", token)], backend)
            request.fields.append(("Accept", accept))
            let response = try await server.send(request)
            #expect(response.status == 200)
            #expect(response.value("Content-Type") == "application/token-introspection+jwt")
            let verified = try UnverifiedJWS.parse(response.text).verify(with: keys, allowing: [.rs256])
            try verified.requireType("token-introspection+jwt")
            let claims = try verified.claims()
            #expect(claims["iss"] == "http://localhost:8080")
            #expect(claims["aud"] == .string(backend.id))
            #expect(claims["iat"] == .integer(TestClock.start.seconds))
            #expect(claims["token_introspection"] == (try await server.introspect(token, backend).json))
            #expect(claims["exp"] == nil && claims["sub"] == nil)
        }
        let signed = "application/token-introspection+jwt"
        for accept in ["application/json", "*/*", "\(signed);q=0", "\(signed); q=0.00"] {
            try await expectJSON(account.accessToken, backend, accept)
        }
    }

    @Test func `an answer is not signed for who prefers JSON, however much of that comes`() async throws {
        let backend = try await #require(installation).backend()
        let account = try await server.signUp()
        let signed = "application/token-introspection+jwt"
        for accept in [
            "\(signed);q=0.1, application/json", "\(signed) ; a=b ; Q=0.899, application/*;q=0.9", "\(signed);q=0.5,*/*;q=0.8",
            "\(signed);q=x", "\(signed);q=", "\(signed)x", "x\(signed)",
        ] {
            try await expectJSON(account.accessToken, backend, accept)
        }
        let whole = "application/json, \(signed);q=0.1"
        // Cut off between the type and its weight it has none.
        for length in 0...whole.count {
            let accept = String(whole.prefix(length))
            guard !["jwt", "jwt;", "jwt;q"].contains(where: accept.hasSuffix) else { continue }
            try await expectJSON(account.accessToken, backend, accept)
        }
        var request = TestHTTPRequest.form("/oauth2/introspect", [("token", account.accessToken)], backend)
        request.fields += [("Accept", "application/json"), ("Accept", "\(signed);q=0.1")]
        #expect(try await server.send(request).value("Content-Type") == "application/json")
    }

    private func expectJSON(_ token: String, _ backend: Credentials, _ accept: String) async throws {
        var request = TestHTTPRequest.form("/oauth2/introspect", [("token", token)], backend)
        request.fields.append(("Accept", accept))
        #expect(try await server.send(request).value("Content-Type") == "application/json", "\(accept)")
    }
}
