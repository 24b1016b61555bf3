import Crypto
import Identity
import JOSE
import TestSupport
import Testing
import Text

/// Client authentication, keys, and the grants without a browser.
@Suite(.needsServers, .installation(), .serialized)
struct TokenEndpointTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    @Test func `a client proves itself in one way, and is told what is wrong`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--service", "--scope", "read")
        let grant = [("grant_type", "client_credentials")]
        let (id, secret) = (client.id, client.secret ?? "")
        let basic = try await server.form("/oauth2/token", grant, client.credentials)
        #expect(basic.status == 200, "\(basic.text)")
        #expect(basic.json["scope"] == "read")
        #expect(basic.json["refresh_token"] == nil)
        #expect(try await server.form("/oauth2/token", grant + [("client_id", id), ("client_secret", secret)]).status == 200)
        let two = try await server.form("/oauth2/token", grant + [("client_secret", secret)], client.credentials)
        #expect(two.status == 400)
        #expect(two.json["error"] == "invalid_request")
        for wrong in [
            TestHTTPRequest.form("/oauth2/token", grant), .form("/oauth2/token", grant + [("client_id", id)]),
            .form("/oauth2/token", grant, Credentials(id: id, secret: "wrong")),
            .form("/oauth2/token", grant + [("client_id", "nobody"), ("client_secret", "x")]),
        ] {
            let response = try await server.send(wrong)
            #expect(response.status == 401)
            #expect(response.json["error"] == "invalid_client")
            #expect(response.value("WWW-Authenticate") == #"Basic realm="kidoban""#)
        }
        #expect(
            try await client.token([("grant_type", "password"), ("username", "x")]).json["error"] == "unsupported_grant_type")
        #expect(
            try await client.token([("grant_type", "authorization_code"), ("code", "x")]).json["error"] == "unauthorized_client")
        #expect(try await client.token([]).json["error"] == "invalid_request")
        #expect(try await client.token(grant + [("scope", "read"), ("scope", "read")]).json["error"] == "invalid_request")
        #expect(try await client.token(grant + [("scope", "write")]).json["error"] == "invalid_scope")
        #expect(try await client.token(grant + [("resource", "https://x.example.com")]).json["error"] == "invalid_target")
        #expect(try await server.get("/oauth2/token").status == 405)
    }

    /// A client that proves itself with a key.
    private func keyed(_ key: ProofKey) async throws -> RelyingParty {
        let installation = try #require(installation)
        let set = JWKSet([JWK(key: key.key.publicKey, algorithm: .es256, keyID: "one")])
        let directory = try TestDirectory()
        try TestFile.write(set.rendered, to: "\(directory.path)/keys")
        return try await installation.relyingParty(
            "--service", "--scope", "read", "--auth-method", "private_key_jwt", "--jwks", "\(directory.path)/keys")
    }

    @Test func `an assertion proves its client once, at the endpoint that it is for`() async throws {
        let installation = try #require(installation)
        let key = try ProofKey()
        let client = try await keyed(key)
        let now = installation.clock.now
        func send(_ changes: [(String, JSONValue?)] = [], by signer: ProofKey? = nil, keyID: String = "one") async throws
            -> TestHTTPResponse
        {
            var claims: [(String, JSONValue?)] = [
                ("iss", .string(client.id)), ("sub", .string(client.id)), ("aud", "http://localhost:8080"),
                ("exp", .integer(now.seconds + 60)), ("jti", .string(String(UInt64.random(in: .min ... .max)))),
            ]
            for change in changes {
                claims.removeAll { $0.0 == change.0 }
                claims.append(change)
            }
            return try await server.form(
                "/oauth2/token",
                [
                    ("grant_type", "client_credentials"),
                    ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                    ("client_assertion", try (signer ?? key).assertion(claims, keyID: keyID)),
                ])
        }
        let right = try await send()
        #expect(right.status == 200, "\(right.text)")
        #expect(try await send([("aud", ["http://localhost:8080/oauth2/token"])]).status == 200)
        // A client whose clock is ahead, and one that counts in fractions.
        #expect(try await send([("exp", .integer(now.seconds + 3610)), ("iat", .integer(now.seconds + 10))]).status == 200)
        #expect(
            try await send([("exp", .double(Double(now.seconds) + 60.25)), ("iat", .double(Double(now.seconds) - 0.5))]).status
                == 200)
        #expect(try await send([("jti", "same")]).status == 200)
        #expect(try await send([("jti", "same")]).status == 401)
        for wrong in [
            [("aud", "https://elsewhere.example.com")], [("exp", .integer(now.seconds - 60))], [("exp", nil)], [("jti", nil)],
            [("exp", .integer(now.seconds + 86_400))], [("iss", "other")], [("sub", "other")],
            [("nbf", .integer(now.seconds + 120))],
        ] as [[(String, JSONValue?)]] {
            let response = try await send(wrong)
            #expect(response.status == 401, "\(wrong) \(response.text)")
            #expect(response.json["error"] == "invalid_client")
        }
        #expect(try await send(by: try ProofKey()).status == 401)
        #expect(try await send(keyID: "two").status == 401)
        // It proves the client everywhere.
        let token = right.json["access_token"]?.stringValue ?? ""
        let assertion = try key.assertion([
            ("iss", .string(client.id)), ("sub", .string(client.id)), ("aud", "http://localhost:8080"),
            ("exp", .integer(now.seconds + 60)), ("jti", "revocation"),
        ])
        let revoked = try await server.form(
            "/oauth2/revoke",
            [
                ("token", token), ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                ("client_assertion", assertion),
            ])
        #expect(revoked.status == 200, "\(revoked.text)")
    }

    @Test func `a client that has replaced its key is known by the new one at once`() async throws {
        let installation = try #require(installation)
        let keys = [try ProofKey(), try ProofKey(), try ProofKey()]
        let published = Locked(0)
        let sets = keys.enumerated().map { index, key in
            String(
                decoding: JWKSet([JWK(key: key.key.publicKey, algorithm: .es256, keyID: "\(index)")]).rendered, as: UTF8.self)
        }
        let listener = try TestHTTPServer.start { _ in .response(status: 200, body: sets[published.value]) }
        let client = try await installation.relyingParty(
            "--service", "--scope", "read", "--auth-method", "private_key_jwt", "--jwks-uri",
            listener.url("/keys", host: "127.0.0.1"))
        for (index, key) in keys.enumerated() {
            published.withLock { $0 = index }
            let assertion = try key.assertion(
                [
                    ("iss", .string(client.id)), ("sub", .string(client.id)), ("aud", "http://localhost:8080"),
                    ("exp", .integer(installation.clock.now.seconds + 60)), ("jti", .string("\(index)")),
                ], keyID: "\(index)")
            let response = try await server.form(
                "/oauth2/token",
                [
                    ("grant_type", "client_credentials"),
                    ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                    ("client_assertion", assertion),
                ])
            #expect(response.status == 200, "\(index) \(response.text)")
        }
    }

    @Test func `a client whose keys cannot be fetched is told to come back`() async throws {
        let installation = try #require(installation)
        let keys = [try ProofKey(), try ProofKey()]
        let answer = Locked((status: 500, body: ""))
        let listener = try TestHTTPServer.start { _ in .response(status: answer.value.status, body: answer.value.body) }
        let client = try await installation.relyingParty(
            "--service", "--scope", "read", "--auth-method", "private_key_jwt", "--jwks-uri",
            listener.url("/keys", host: "127.0.0.1"))
        func assertion(_ number: Int, named: Bool) throws -> String {
            try keys[number].assertion(
                [
                    ("iss", .string(client.id)), ("sub", .string(client.id)), ("aud", "http://localhost:8080"),
                    ("exp", .integer(installation.clock.now.seconds + 60)), ("jti", .string("\(number)\(named)")),
                ], keyID: named ? "\(number)" : nil)
        }
        func ask(_ assertion: String) async throws -> TestHTTPResponse {
            try await server.form(
                "/oauth2/token",
                [
                    ("grant_type", "client_credentials"),
                    ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                    ("client_assertion", assertion),
                ])
        }
        func set(_ number: Int, named: Bool) -> String {
            let key = JWK(key: keys[number].key.publicKey, algorithm: .es256, keyID: named ? "\(number)" : nil)
            return String(decoding: JWKSet([key]).rendered, as: UTF8.self)
        }
        let first = try assertion(0, named: true)
        let refused = try await ask(first)
        #expect(refused.status == 503, "\(refused.text)")
        #expect(refused.json["error"] == "temporarily_unavailable")
        #expect(refused.value("Retry-After") != nil)
        answer.withLock { $0 = (404, "") }
        #expect(try await ask(first).status == 401)
        // A key without a name is the only one that can be meant.
        answer.withLock { $0 = (200, set(0, named: false)) }
        #expect(try await ask(try assertion(0, named: false)).status == 200)
        answer.withLock { $0 = (200, set(0, named: true)) }
        #expect(try await ask(first).status == 200)
        // Another key, while nobody can tell whether it is the client's.
        answer.withLock { $0 = (503, "") }
        #expect(try await ask(try assertion(1, named: true)).status == 503)
        // Strangers have used up how often its server is asked, on each loop.
        answer.withLock { $0 = (200, set(0, named: true)) }
        let stranger = try assertion(1, named: true)
        for _ in 0..<40 { _ = try await ask(stranger) }
        answer.withLock { $0 = (200, set(1, named: true)) }
        let rotated = try await ask(try assertion(1, named: true))
        #expect(rotated.status == 503, "\(rotated.text)")
        #expect(rotated.value("Retry-After").flatMap { Int($0) }.map { (1...30).contains($0) } == true)
    }

    @Test func `tokens are bound to the key of a DPoP proof, which is good once and with our nonce`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--native", "--first-party")
        let (browser, _) = try await installation.browser()
        let (key, now) = (try ProofKey(), installation.clock.now)
        func redeem(_ proof: String, _ changes: [(String, String?)] = []) async throws -> TestHTTPResponse {
            try await client.redeem(try await client.code(browser, changes), with: [("DPoP", proof)])
        }
        let first = try await redeem(try key.proof("POST", "/oauth2/token", at: now))
        #expect(first.status == 400)
        #expect(first.json["error"] == "use_dpop_nonce")
        let nonce = try #require(first.value("DPoP-Nonce"))
        let proof = try key.proof("POST", "/oauth2/token", at: now, nonce: nonce)
        let answer = try await redeem(proof)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.json["token_type"] == "DPoP")
        #expect(try await redeem(proof).json["error"] == "invalid_dpop_proof")
        for wrong in [
            try key.proof("GET", "/oauth2/token", at: now, nonce: nonce),
            try key.proof("POST", "/oauth2/par", at: now, nonce: nonce),
            try key.proof("POST", "/oauth2/token", at: now.adding(.seconds(-600)), nonce: nonce),
            try key.proof("POST", "/oauth2/token", at: now.adding(.seconds(600)), nonce: nonce),
            try key.proof("POST", "/oauth2/token", at: now, nonce: nonce, type: "JWT"), "nonsense",
        ] {
            #expect(try await redeem(wrong).json["error"] == "invalid_dpop_proof")
        }
        #expect(
            try await redeem(try key.proof("POST", "/oauth2/token", at: now, nonce: "made-up")).json["error"] == "use_dpop_nonce")
        // A code can be bound to a key from the beginning.
        let bound: [(String, String?)] = [("dpop_jkt", key.thumbprint)]
        #expect(
            try await redeem(try ProofKey().proof("POST", "/oauth2/token", at: now, nonce: nonce), bound).json["error"]
                == "invalid_grant")
        #expect(try await client.redeem(try await client.code(browser, bound)).json["error"] == "invalid_grant")

        let access = answer.json["access_token"]?.stringValue ?? ""
        let seen = try await server.introspect(access, try await installation.backend()).json
        #expect(seen["cnf"]?["jkt"]?.stringValue == key.thumbprint)
        #expect(try await server.get("/oauth2/userinfo", bearer: access).status == 401)
        func info(_ proof: String) async throws -> Int {
            try await server.send("GET", "/oauth2/userinfo", [("Authorization", "DPoP \(access)"), ("DPoP", proof)]).status
        }
        #expect(try await info(try key.proof("GET", "/oauth2/userinfo", at: now, nonce: nonce, accessToken: access)) == 200)
        #expect(try await info(try key.proof("GET", "/oauth2/userinfo", at: now, nonce: nonce, accessToken: access + "x")) == 401)
        #expect(try await info(try key.proof("GET", "/oauth2/userinfo", at: now, nonce: nonce)) == 401)
        let stranger = try ProofKey().proof("GET", "/oauth2/userinfo", at: now, nonce: nonce, accessToken: access)
        #expect(try await info(stranger) == 401)

        let refresh = answer.json["refresh_token"]?.stringValue ?? ""
        #expect(try await client.refresh(refresh).status == 400)
        let other = try ProofKey().proof("POST", "/oauth2/token", at: now, nonce: nonce)
        #expect(try await client.refresh(refresh, with: [("DPoP", other)]).json["error"] == "invalid_grant")
        let own = try key.proof("POST", "/oauth2/token", at: now, nonce: nonce)
        let again = try await client.refresh(refresh, with: [("DPoP", own)])
        #expect(again.status == 200, "\(again.text)")
        #expect(again.json["token_type"] == "DPoP")
    }

    @Test func `a client with a secret may refresh with another key than the first, or with none`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--web", "--first-party")
        let (browser, _) = try await installation.browser()
        let now = installation.clock.now
        func proof(_ nonce: String?) throws -> [(name: String, value: String)] {
            [("DPoP", try ProofKey().proof("POST", "/oauth2/token", at: now, nonce: nonce))]
        }
        let nonce = try await client.redeem(try await client.code(browser), with: proof(nil)).value("DPoP-Nonce")
        var answer = try await client.redeem(try await client.code(browser), with: proof(nonce))
        #expect(answer.json["token_type"] == "DPoP")
        for isBound in [false, true] {
            let refresh = try #require(answer.json["refresh_token"]?.stringValue, "\(answer.text)")
            answer = try await client.refresh(refresh, with: isBound ? proof(nonce) : [])
            #expect(answer.json["token_type"] == (isBound ? "DPoP" : "Bearer"), "\(answer.text)")
            let token = try #require(answer.json["access_token"]?.stringValue)
            #expect((try await server.introspect(token, try await installation.backend()).json["cnf"] != nil) == isBound)
        }
    }

    @Test func `an exchange that names no scope leaves out what cannot be exchanged`() async throws {
        let installation = try #require(installation)
        let service = try await installation.relyingParty(
            "--service", "--grant", "token_exchange", "--audience", "api", "--scope", "openid", "--scope", "read")
        let client = try await installation.relyingParty(
            "--first-party", "--audience", "api", "--scope", "openid", "--scope", "read")
        let (browser, _) = try await installation.browser()
        let source = try #require(try await client.tokens(browser, [("scope", "openid read")])["access_token"]?.stringValue)
        for (scope, given) in [(nil, "read"), ("read", "read"), ("openid", nil)] as [(String?, String?)] {
            let answer = try await service.token(
                [
                    ("grant_type", GrantType.tokenExchange.rawValue), ("subject_token", source),
                    ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"), ("audience", "api"),
                ] + (scope.map { [("scope", $0)] } ?? []))
            #expect(answer.json["scope"]?.stringValue == given, "\(answer.text)")
            #expect(given != nil || answer.json["error"] == "invalid_scope")
        }
    }

    enum End: CaseIterable { case token, grant, client }

    @Test(arguments: End.allCases)
    func `a token that was exchanged ends with the one that it was made of, however that ends`(_ end: End) async throws {
        let installation = try #require(installation)
        let service = try await installation.relyingParty(
            "--service", "--grant", "token_exchange", "--audience", "api", "--audience", "next", "--scope", "read")
        let client = try await installation.relyingParty("--first-party", "--audience", "api", "--scope", "read")
        let (browser, _) = try await installation.browser()
        let mine = try await client.tokens(browser, [("scope", "read")])
        let source = try #require(mine["access_token"]?.stringValue)
        func exchange(_ token: String) async throws -> TestHTTPResponse {
            try await service.token([
                ("grant_type", GrantType.tokenExchange.rawValue), ("subject_token", token),
                ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"), ("audience", "api"),
            ])
        }
        let half = try await service.token([
            ("grant_type", GrantType.tokenExchange.rawValue), ("subject_token", source),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"),
            ("actor_token_type", "urn:ietf:params:oauth:token-type:access_token"),
        ])
        #expect(half.json["error"] == "invalid_request")
        let first = try await exchange(source)
        let made = try #require(first.json["access_token"]?.stringValue, "\(first.text)")
        let second = try await exchange(made)
        let tokens = [source, made, try #require(second.json["access_token"]?.stringValue, "\(second.text)")]
        let backend = try await installation.addClient("api", "--introspect", "--audience", "api")
        for token in tokens { #expect(try await server.introspect(token, backend).json["active"] == true) }
        switch end {
        case .token, .grant:
            let revoked = end == .token ? source : try #require(mine["refresh_token"]?.stringValue)
            #expect(try await server.form("/oauth2/revoke", [("token", revoked)], client.credentials).status == 200)
        case .client: _ = try await installation.command(["client", "disable", try #require(client.credentials).id])
        }
        for token in tokens { #expect(try await server.introspect(token, backend).json["active"] == false) }
        #expect(try await exchange(source).status == 400)
        // The browser's session goes on.
        if end != .client { #expect(try await client.authorize(browser, [("prompt", "none")]).redirected["code"] != nil) }
    }

    @Test func `a pushed request is good for its client and for one code`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let stranger = try await installation.relyingParty("--first-party")
        let (browser, _) = try await installation.browser()
        let pushed = try await server.form("/oauth2/par", client.parameters(), client.credentials)
        #expect(pushed.status == 201, "\(pushed.text)")
        let uri = try #require(pushed.json["request_uri"]?.stringValue)
        func authorize(_ id: String) async throws -> TestHTTPResponse {
            try await browser.send("GET", RelyingParty.path([("client_id", id), ("request_uri", uri), ("scope", "ignored")]))
        }
        #expect(try await authorize(stranger.id).status == 400)
        let response = try await authorize(client.id)
        let code = try #require(response.redirected["code"], "\(response.text)")
        #expect(try await client.redeem(code).status == 200)
        #expect(try await authorize(client.id).status == 400)
        let wrong = try await server.form(
            "/oauth2/par", client.parameters([("redirect_uri", "https://x.example.com")]), client.credentials)
        #expect(wrong.status == 400)
        #expect(wrong.json["error"] == "invalid_request")
        #expect(try await server.form("/oauth2/par", client.parameters()).status == 401)
        let nested = client.parameters() + [("request_uri", uri)]
        #expect(try await server.form("/oauth2/par", nested, client.credentials).json["error"] == "invalid_request")
    }

    @Test func `a device gets tokens once somebody has approved it`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--device")
        let started = try await server.form(
            "/oauth2/device_authorization", [("client_id", client.id), ("scope", "openid email")])
        #expect(started.status == 200, "\(started.text)")
        #expect(started.json["verification_uri"] == "http://localhost:8080/device")
        let code = started.json["device_code"]?.stringValue ?? ""
        func poll() async throws -> TestHTTPResponse {
            try await client.token([("grant_type", GrantType.deviceCode.rawValue), ("device_code", code)])
        }
        #expect(try await poll().json["error"] == "authorization_pending")
        #expect(try await poll().json["error"] == "slow_down")
        installation.clock.advance(by: .seconds(11))
        #expect(try await poll().json["error"] == "authorization_pending")
        let other = try await installation.relyingParty("--device")
        let stolen = try await other.token([("grant_type", GrantType.deviceCode.rawValue), ("device_code", code)])
        #expect(stolen.json["error"] == "invalid_grant")
        let madeUp = try await client.token([("grant_type", GrantType.deviceCode.rawValue), ("device_code", "made up")])
        #expect(madeUp.json["error"] == "invalid_grant")
        #expect(
            try await server.form("/oauth2/device_authorization", [("client_id", client.id), ("scope", "nonsense")]).json["error"]
                == "invalid_scope")
    }
}
