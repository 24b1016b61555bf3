import Crypto
import Identity
import JOSE
import Server
import TestSupport
import Testing
import Text

/// Dynamic client registration (RFC 7591, RFC 7592).
@Suite(.needsServers, .installation()) struct RegistrationTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var server: TestHTTPClient { get throws { try installation.server } }

    private func register(_ body: JSONValue, _ token: String?) async throws -> TestHTTPResponse {
        try await server.post("/oauth2/register", body, bearer: token)
    }

    private func token(_ options: String...) async throws -> String {
        let output = try await installation.command(
            ["client", "registration-token"] + options, with: ["KIDOBAN_MASTER_KEY": installation.masterKey])
        return try #require(output.split(separator: "\n").map { String($0) }.first { $0.hasPrefix("kdi_") })
    }

    @Test func `nobody registers without a token, or with one that is used, forged or too old`() async throws {
        let body: JSONValue = ["redirect_uris": ["https://rp.example/cb"]]
        let token = try await token("--life", "2h")
        let installation = try self.installation
        let masterKey = try #require(installation.configuration.secrets.masterKey)
        let expired = try InitialAccessTokens(masterKey).token(
            until: installation.clock.now.adding(.seconds(-1)), uses: 1,
            random: [UInt8](repeating: 7, count: InitialAccessTokens.randomByteCount))
        for wrong in [nil, "kdi_x", token.withOtherEnd, "kds_" + token.dropFirst(4), expired.revealedText] {
            let refused = try await register(body, wrong)
            #expect(refused.status == 401 && refused.json["error"] == "invalid_token")
            #expect(refused.value("WWW-Authenticate")?.contains("error=") == (wrong != nil))
        }
        // What is refused uses nothing up.
        #expect(try await register(["redirect_uris": []], token).status == 400)
        for grant in ["urn:ietf:params:oauth:grant-type:token-exchange", "urn:ietf:params:oauth:grant-type:jwt-bearer"] {
            let greedy: JSONValue = [
                "redirect_uris": ["https://rp.example/cb"], "grant_types": ["authorization_code", .string(grant)],
            ]
            #expect(try await register(greedy, token).status == 400)
        }
        let turned: JSONValue = ["redirect_uris": ["https://rp.example/cb"], "client_name": "moc.\u{202E}"]
        #expect(try await register(turned, token).status == 400)
        let blank: JSONValue = ["redirect_uris": ["https://rp.example/cb"], "client_name": "\u{3164}\u{2800}"]
        #expect(try await register(blank, token).status == 400)
        #expect(try await register(body, token).status == 201)
        #expect(try await register(body, token).status == 401)
        let twice = try await self.token("--life", "1h", "--uses", "2")
        #expect(try await register(body, twice).status == 201)
        #expect(try await register(body, twice).status == 201)
        #expect(try await register(body, twice).status == 401)
    }

    @Test func `a private key is refused, and keys for other purposes are left out`() async throws {
        let key = JWK(key: try SigningKey.generate(.es256).publicKey, algorithm: .es256, keyID: "one")
        let own = try #require(try JSON.parse(JWKSet([key]).rendered)["keys"]?[0])
        var exposed = try #require(own.objectValue)
        exposed["d"] = "AAAA"
        func body(_ method: String, _ keys: [JSONValue]) -> JSONValue {
            [
                "redirect_uris": ["https://rp.example/cb"], "token_endpoint_auth_method": .string(method),
                "jwks": ["keys": .array(keys)],
            ]
        }
        let other: JSONValue = ["kty": "OKP", "crv": "X25519", "x": "AAAA", "use": "enc", "kid": "two"]
        let symmetric: JSONValue = ["kty": "oct", "k": "AAAA"]
        let token = try await token("--uses", "3")
        for method in ["client_secret_basic", "private_key_jwt", "none"] {
            for keys in [[.object(exposed)], [own, symmetric]] as [[JSONValue]] {
                let refused = try await register(body(method, keys), token)
                #expect(refused.status == 400 && refused.json["error"] == "invalid_client_metadata", "\(refused.text)")
            }
        }
        #expect(try await register(body("private_key_jwt", [other]), token).status == 400)
        for (method, keys) in [("private_key_jwt", [other, own]), ("client_secret_basic", [own])] {
            let made = try await register(body(method, keys), token)
            #expect(made.status == 201 && made.json["jwks"] == ["keys": [own]], "\(made.text)")
        }
        #expect(try await register(body("client_secret_basic", [other]), token).json["jwks"] == nil)
    }

    @Test func `a client registers, signs users in, and looks after its registration`() async throws {
        let body: JSONValue = [
            "redirect_uris": ["https://rp.example/callback"], "client_name": "Self made", "scope": "openid email",
            "unknown": ["ignored": true], "backchannel_logout_uri": "https://rp.example/bc",
        ]
        let made = try await register(body, try await token())
        #expect(made.status == 201 && made.value("Cache-Control") == "no-store", "\(made.text)")
        let (id, secret) = (
            try #require(made.json["client_id"]?.stringValue), try #require(made.json["client_secret"]?.stringValue)
        )
        let own = try #require(made.json["registration_access_token"]?.stringValue)
        #expect(made.json["registration_client_uri"]?.stringValue == "\(PageVisitor.origin)/oauth2/register/\(id)")
        #expect(made.json["client_secret_expires_at"] == 0 && made.json["scope"] == "openid email")
        #expect(made.json["token_endpoint_auth_method"] == "client_secret_basic")
        let client = PageClient(credentials: Credentials(id: id, secret: secret), redirectURI: "https://rp.example/callback")
        let visitor = PageVisitor(try server)
        let page = try await visitor.open(client.authorize().replacing("profile%20", with: ""))
        #expect(page.value("Location")?.hasPrefix("/sign-in") ?? false, "\(page.text)")
        let path = "/oauth2/register/\(id)"
        #expect(try await server.get(path, bearer: own).json["client_name"] == "Self made")
        for wrong in [nil, own.withOtherEnd, secret] { #expect(try await server.get(path, bearer: wrong).status == 401) }
        func put(_ body: JSONValue) async throws -> TestHTTPResponse {
            try await server.send(.json("PUT", path, body.serialized, bearer: own))
        }
        #expect(try await put(["client_id": "other", "redirect_uris": ["https://rp.example/callback"]]).status == 400)
        let changed = try await put(["client_id": .string(id), "redirect_uris": ["https://rp.example/other"]])
        #expect(changed.status == 200 && changed.json["client_secret"] == nil, "\(changed.text)")
        for (shown, status) in [(.string(secret), 200), (.string(secret.withOtherEnd), 400), (5, 400)] as [(JSONValue, Int)] {
            let again: JSONValue = [
                "client_id": .string(id), "redirect_uris": ["https://rp.example/other"], "client_secret": shown,
            ]
            #expect(try await put(again).status == status)
        }
        #expect(changed.json["redirect_uris"]?[0] == "https://rp.example/other" && changed.json["client_name"]?.stringValue == id)
        #expect(try await server.delete(path, bearer: own).status == 204)
        #expect(try await server.get(path, bearer: own).status == 401)
    }

    @Test func `users are asked again by a client that takes another name, and its tokens are for UserInfo alone`() async throws {
        let uri = "https://rp.example/callback"
        let body: JSONValue = ["redirect_uris": [.string(uri)], "client_name": "Weather"]
        let made = try await register(body, try await token()).json
        let id = try #require(made["client_id"]?.stringValue)
        let secret = try #require(made["client_secret"]?.stringValue)
        let client = PageClient(credentials: Credentials(id: id, secret: secret), redirectURI: uri)
        let (account, visitor) = (try await server.signUp(), PageVisitor(try server))
        try await visitor.signIn(account.email)
        let page = try await visitor.follow(visitor.open(client.authorize()))
        let agreed = try await visitor.follow(visitor.submit(page, "/consent", [("decision", "allow")]))
        let tokens = try await client.tokens(agreed, try server)
        let accessToken = try #require(tokens["access_token"]?.stringValue)
        let keys = try JWKSet.parse(try await server.get("/.well-known/jwks.json").body)
        let claims = try UnverifiedJWS.parse(accessToken).verify(with: keys, allowing: [.es256]).claims()
        #expect(claims.audience == ["\(PageVisitor.origin)/oauth2/userinfo"])
        #expect(try await server.get("/oauth2/userinfo", bearer: accessToken).status == 200)
        let silent = client.authorize([("prompt", "none")])
        #expect(try await visitor.open(silent).value("Location")?.contains("code=") ?? false)
        let own = try #require(made["registration_access_token"]?.stringValue)
        for (name, isAsked) in [("Weather", false), ("Your Bank", true)] {
            let changed: JSONValue = ["client_id": .string(id), "redirect_uris": [.string(uri)], "client_name": .string(name)]
            let put = try await server.send(.json("PUT", "/oauth2/register/\(id)", changed.serialized, bearer: own))
            #expect(put.status == 200, "\(put.text)")
            #expect(try await visitor.open(silent).value("Location")?.contains("error=consent_required") == isAsked)
        }
    }

    @Test func `a web application goes without PKCE if the operator's token lets it, and nothing else does`() async throws {
        let body: JSONValue = ["redirect_uris": [.string(RelyingParty.redirectURI)]]
        #expect(try await register(body, try await token()).json["require_pkce"] == true)
        let token = try await token("--pkce", "optional", "--uses", "5")
        let made = try await register(body, token)
        #expect(made.status == 201 && made.json["require_pkce"] == false, "\(made.text)")
        let id = try #require(made.json["client_id"]?.stringValue)
        _ = try await installation.command(["client", "update", id, "--first-party"])
        let client = RelyingParty(server: try server, id: id, secret: made.json["client_secret"]?.stringValue)
        let (browser, _) = try await installation.browser()
        let code = try await client.code(browser, [("code_challenge", nil), ("code_challenge_method", nil)])
        #expect(try await client.redeem(code, [("code_verifier", nil)]).status == 200)
        let others: [JSONValue] = [
            ["redirect_uris": [.string(RelyingParty.redirectURI)], "token_endpoint_auth_method": "none"],
            [
                "redirect_uris": ["com.example.app:/cb"], "application_type": "native",
                "token_endpoint_auth_method": "client_secret_basic",
            ],
            ["redirect_uris": [.string(RelyingParty.redirectURI)], "require_pkce": true],
        ]
        for other in others {
            let answer = try await register(other, token)
            #expect(answer.status == 201 && answer.json["require_pkce"] == true, "\(answer.text)")
        }
        // What has become public has no secret in the place of PKCE.
        let changed = try await server.send(
            .json(
                "PUT", "/oauth2/register/\(id)",
                JSONValue.object(
                    JSONObject([
                        .init(key: "client_id", value: .string(id)), .init(key: "token_endpoint_auth_method", value: "none"),
                        .init(key: "redirect_uris", value: [.string(RelyingParty.redirectURI)]),
                    ])
                ).serialized, bearer: made.json["registration_access_token"]?.stringValue))
        #expect(changed.status == 200 && changed.json["require_pkce"] == true, "\(changed.text)")
    }

    @Test(arguments: ["RS256", "ES256"])
    func `a client that has registered for signed claims gets them signed`(_ algorithm: String) async throws {
        let installation = try self.installation
        let metadata: JSONValue = [
            "redirect_uris": [.string(RelyingParty.redirectURI)], "userinfo_signed_response_alg": .string(algorithm),
        ]
        let made = try await register(metadata, try await token())
        #expect(made.json["userinfo_signed_response_alg"]?.stringValue == algorithm, "\(made.text)")
        let id = try #require(made.json["client_id"]?.stringValue)
        _ = try await installation.command(["client", "update", id, "--first-party"])
        let client = RelyingParty(server: try server, id: id, secret: made.json["client_secret"]?.stringValue)
        let (browser, account) = try await installation.browser()
        let tokens = try await client.tokens(browser)
        let info = try await server.get("/oauth2/userinfo", bearer: tokens["access_token"]?.stringValue)
        #expect(info.status == 200 && info.value("Content-Type") == "application/jwt", "\(info.text)")
        let keys = try JWKSet.parse(try await server.get("/.well-known/jwks.json").body)
        let jws = try UnverifiedJWS.parse(info.text)
        #expect(jws.header.algorithm.rawValue == algorithm)
        let claims = try jws.verify(with: keys, allowing: [.rs256, .es256]).claims()
        #expect(claims.issuer == PageVisitor.origin && claims.audience == [id] && claims.subject == account.id)
    }

    @Test func `what an operator has set of a client stays when it replaces its registration`() async throws {
        let made = try await register(["redirect_uris": ["https://rp.example/callback"]], try await token())
        let (id, own) = (
            try #require(made.json["client_id"]?.stringValue),
            try #require(made.json["registration_access_token"]?.stringValue)
        )
        _ = try await installation.command([
            "client", "update", id, "--first-party", "--introspect", "--audience", "shop", "--access-token-lifetime", "2m",
            "--scope", "openid", "--scope", "orders",
        ])
        // As it reads itself, it may write itself back.
        let shown = try await server.get("/oauth2/register/\(id)", bearer: own)
        #expect(shown.json["scope"] == "openid orders", "\(shown.text)")
        let replaced = try await server.send(
            .json(
                "PUT", "/oauth2/register/\(id)",
                JSONValue.object(
                    JSONObject([
                        .init(key: "client_id", value: .string(id)), .init(key: "client_name", value: "Other"),
                        .init(key: "redirect_uris", value: ["https://rp.example/callback"]),
                        .init(key: "scope", value: "openid email orders"),
                    ])
                ).serialized, bearer: own))
        #expect(replaced.status == 200 && replaced.json["scope"] == "openid email orders", "\(replaced.text)")
        let after = try JSON.parse(Array(try await installation.command(["client", "show", id, "--json"]).utf8))
        #expect(after["name"] == "Other", "\(after)")
        #expect(after["audiences"] == ["shop"] && after["is_first_party"] == true, "\(after)")
        #expect(after["access_token_seconds"] == 120, "\(after)")
        #expect(after["permissions"]?.arrayValue?.contains("introspect") == true, "\(after)")
    }

    @Test(
        arguments: [
            (["redirect_uris": ["http://rp.example/cb"]], "invalid_redirect_uri"),
            (["redirect_uris": ["https://rp.example/cb#x"]], "invalid_redirect_uri"),
            (["redirect_uris": ["https://rp.example/cb"], "scope": "openid admin"], "invalid_client_metadata"),
            (["redirect_uris": ["https://rp.example/cb"], "grant_types": ["password"]], "invalid_client_metadata"),
            (["redirect_uris": ["https://rp.example/cb"], "response_types": ["token"]], "invalid_client_metadata"),
            (["redirect_uris": ["https://rp.example/cb"], "subject_type": "pairwise"], "invalid_client_metadata"),
            (["redirect_uris": "https://rp.example/cb"], "invalid_client_metadata"),
            (["redirect_uris": ["https://rp.example/cb"], "logo_uri": "javascript:alert(1)"], "invalid_client_metadata"),
            (
                ["redirect_uris": ["https://rp.example/cb"], "userinfo_signed_response_alg": "none"],
                "invalid_client_metadata"
            ),
            (
                ["redirect_uris": ["https://rp.example/cb"], "token_endpoint_auth_method": "private_key_jwt"],
                "invalid_client_metadata"
            ),
            ([], "invalid_client_metadata"),
        ] as [(JSONValue, JSONValue)])
    func `what no operator could register, no software can`(_ body: JSONValue, _ error: JSONValue) async throws {
        let refused = try await register(body, try await token())
        #expect(refused.status == 400 && refused.json["error"] == error, "\(refused.text)")
    }
}
