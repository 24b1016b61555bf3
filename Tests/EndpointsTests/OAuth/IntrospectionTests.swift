import Crypto
import JOSE
import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation())
struct IntrospectionTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    @Test func `a good access token is described`() async throws {
        let backend = try await #require(installation).backend()
        let account = try await server.signUp()
        let response = try await server.introspect(account.accessToken, backend)
        #expect(response.status == 200)
        #expect(response.value("Content-Type") == "application/json")
        #expect(response.value("Cache-Control") == "no-store")
        #expect(response.value("Pragma") == "no-cache")
        let claims = try await claims(of: account.accessToken)
        let expected: JSONValue = [
            "active": true, "aud": "http://localhost:8080", "client_id": "app", "sub": .string(account.id),
            "username": .string(account.email), "email_verified": false, "token_type": "Bearer",
            "exp": .integer(TestClock.start.adding(.seconds(900)).seconds), "iat": .integer(TestClock.start.seconds),
            "nbf": .integer(TestClock.start.seconds), "iss": "http://localhost:8080",
            "jti": try #require(claims["jti"]), "scope": "openid email profile account", "sid": try #require(claims["sid"]),
            "auth_time": .integer(TestClock.start.seconds), "amr": ["pwd"],
        ]
        #expect(response.json == expected)
    }

    @Test(arguments: [nil, "access_token", "refresh_token", "nonsense"])
    func `a good refresh token is no token that a backend may let in`(hint: String?) async throws {
        let installation = try #require(installation)
        let backends = [
            try await installation.backend(), try await installation.addClient("all", "--introspect", "--audience", "*"),
        ]
        let account = try await server.signUp()
        for token in [account.refreshToken, try await server.signUp(rotates: true).refreshToken] {
            for backend in backends {
                let fields = [("token", token)] + (hint.map { [("token_type_hint", $0)] } ?? [])
                let response = try await server.form("/oauth2/introspect", fields, backend)
                #expect(response.status == 200)
                #expect(response.text == #"{"active":false}"#)
            }
        }
        // It has not been used up by the question.
        #expect(try await server.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)]).status == 200)
    }

    private func claims(of token: String) async throws -> JWTClaims {
        let keys = try JWKSet.parse(await server.get("/.well-known/jwks.json").body)
        return try UnverifiedJWS.parse(token).verify(with: keys, allowing: [.es256]).claims()
    }

    @Test(arguments: ["access_token", "refresh_token", "nonsense", ""])
    func `for an access token the hint does not matter`(_ hint: String) async throws {
        let backend = try await #require(installation).backend()
        let fields = [
            ("token", try await server.signUp().accessToken), ("token_type_hint", hint), ("unknown", "parameter"),
        ]
        #expect(try await server.form("/oauth2/introspect", fields, backend).json["active"] == true)
    }

    @Test func `a client proves itself by a field or in the form`() async throws {
        let backend = try await #require(installation).backend()
        let token = try await server.signUp().accessToken
        let byField = try await server.introspect(token, backend)
        let credentials = [("client_id", backend.id), ("client_secret", backend.secret)]
        let byForm = try await server.form("/oauth2/introspect", [("token", token)] + credentials)
        #expect(byField.json["active"] == true)
        #expect(byForm.constantPart == byField.constantPart)
        let named = try await server.form("/oauth2/introspect", [("token", token), ("client_id", backend.id)], backend)
        #expect(named.constantPart == byField.constantPart)
        let empty = [("token", token), ("client_id", ""), ("client_secret", "")]
        #expect(try await server.form("/oauth2/introspect", empty, backend).constantPart == byField.constantPart)
    }

    @Test func `a client that proves itself twice is refused`() async throws {
        let backend = try await #require(installation).backend()
        let other = try await #require(installation).addClient("other", "--introspect")
        let token = try await server.signUp().accessToken
        for extra in [
            [("client_id", backend.id), ("client_secret", backend.secret)], [("client_secret", backend.secret)],
            [("client_id", other.id)], [("client_id", other.id), ("client_secret", other.secret)],
        ] {
            // Both before and after these credentials have become known.
            for _ in 0..<2 {
                let response = try await server.form("/oauth2/introspect", [("token", token)] + extra, backend)
                #expect(response.status == 400)
                #expect(response.json["error"] == "invalid_request")
                #expect(try await server.introspect(token, backend).json["active"] == true)
            }
        }
    }

    @Test func `whoever has not proved to be a client learns nothing`() async throws {
        let installation = try #require(installation)
        let backend = try await installation.backend()
        let token = try await server.signUp().accessToken
        #expect(try await server.introspect(token, backend).status == 200)
        let wrong = try await server.introspect(token, Credentials(id: backend.id, secret: "wrong"))
        #expect(wrong.status == 401)
        #expect(wrong.json["error"] == "invalid_client")
        #expect(wrong.keys == ["error", "error_description"])
        #expect(wrong.value("WWW-Authenticate") == #"Basic realm="kidoban""#)
        #expect(wrong.value("Cache-Control") == "no-store")
        #expect(wrong.value("Content-Type") == "application/json")
        let attempts: [TestHTTPRequest] = [
            .form("/oauth2/introspect", [("token", token)]),
            .form("/oauth2/introspect", [("token", token)], Credentials(id: "nobody", secret: backend.secret)),
            .form("/oauth2/introspect", [("token", token)], Credentials(id: backend.id, secret: "")),
            .form("/oauth2/introspect", [("token", token)], Credentials(id: backend.id, secret: backend.secret + "x")),
            .form("/oauth2/introspect", [("token", token)], Credentials(id: backend.id, secret: backend.secret.uppercased())),
            .form("/oauth2/introspect", [("token", token)], Credentials(id: "app", secret: "")),
            .form("/oauth2/introspect", [("token", token), ("client_id", "app")]),
            .form("/oauth2/introspect", [("token", token), ("client_id", backend.id)]),
            .form("/oauth2/introspect", [("token", token), ("client_id", backend.id), ("client_secret", "wrong")]),
            .form("/oauth2/introspect", [("client_id", "\0"), ("client_secret", "x")].filter { $0.0 != "client_id" }),
            .form("/oauth2/introspect", [("token", token), ("client_id", "'; DROP TABLE clients; --"), ("client_secret", "x")]),
        ]
        for attempt in attempts { #expect(try await server.send(attempt).constantPart == wrong.constantPart) }
        for field in ["Bearer \(token)", "Basic", "Basic !", "Basic \(Base64.encode(Array("nocolon".utf8)))", "Digest x"] {
            var request = TestHTTPRequest.form("/oauth2/introspect", [("token", token)])
            request.fields.append(("Authorization", field))
            #expect(try await server.send(request).constantPart == wrong.constantPart)
        }
        var twice = TestHTTPRequest.form("/oauth2/introspect", [("token", token)], backend)
        twice.fields.append(("Authorization", backend.basic))
        #expect(try await server.send(twice).constantPart == wrong.constantPart)
    }

    @Test func `a client that may not ask is told so`() async throws {
        let other = try await #require(installation).addClient("other")
        let token = try await server.signUp().accessToken
        let response = try await server.introspect(token, other)
        #expect(response.status == 403)
        #expect(response.json["error"] == "unauthorized_client")
    }

    @Test(arguments: [
        "", "token=", "token", "token=a&token=b", "token=a&token=a", "token=a&x=1&x=2", "token=%", "token=%zz", "token=a b",
        "token=%ff", "token=%00", "token_type_hint=access_token", "token=a&client_id=a&client_id=b",
    ])
    func `a form that is not right is refused`(_ body: String) async throws {
        let backend = try await #require(installation).backend()
        var request = TestHTTPRequest.form("/oauth2/introspect", [], backend)
        request.body = Array(body.utf8)
        let response = try await server.send(request)
        #expect(response.status == 400)
        #expect(response.json["error"] == "invalid_request")
        #expect(response.value("Cache-Control") == "no-store")
    }

    @Test func `parameters in the address are refused`() async throws {
        let backend = try await #require(installation).backend()
        let token = try await server.signUp().accessToken
        for path in ["/oauth2/introspect?token=\(token)", "/oauth2/introspect?x=1", "/oauth2/introspect?"] {
            let response = try await server.form(path, [("token", token)], backend)
            #expect(response.status == 400)
            #expect(response.json["error"] == "invalid_request")
        }
    }

    @Test(arguments: ["application/json", "text/plain", "multipart/form-data; boundary=x", nil] as [String?])
    func `another content type is not supported`(_ type: String?) async throws {
        let backend = try await #require(installation).backend()
        let fields = [(name: "Authorization", value: backend.basic)] + (type.map { [("Content-Type", $0)] } ?? [])
        let response = try await server.send("POST", "/oauth2/introspect", fields, body: #"{"token":"x"}"#)
        #expect(response.status == 415)
        #expect(response.json["error"] == "invalid_request")
        #expect(response.value("Content-Type") == "application/json")
    }

    @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"])
    func `another method is not allowed`(_ method: String) async throws {
        let response = try await server.send(method, "/oauth2/introspect")
        #expect(response.status == 405)
        #expect(response.value("Allow") == "POST")
        #expect(method == "HEAD" || response.json["error"] == "invalid_request")
    }

    @Test func `what is not there is said in this API's words`() async throws {
        let response = try await server.get("/oauth2/nothing")
        #expect(response.status == 404)
        #expect(response.keys == ["error", "error_description"])
        #expect(response.value("Content-Type") == "application/json")
    }
}
