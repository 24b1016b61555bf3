import TestSupport
import Testing
import Text

/// What the authorization endpoint takes and refuses, and whom it asks to act.
@Suite(.needsServers, .installation(), .serialized)
struct AuthorizeTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    @Test func `nobody is redirected to where the client is not known to be`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let (browser, _) = try await installation.browser()
        let uri = RelyingParty.redirectURI
        for other in [
            nil, "", "https://evil.example.com/callback", uri + "/", uri + "?a=b", uri + "#x", uri + "/../x", uri + "%2f",
            "https://client.example.com/Callback", "HTTPS://client.example.com/callback", "http://client.example.com/callback",
            "https://client.example.com:443/callback", "https://client.example.com@evil.example.com/callback",
            "https://client.example.com.evil.example.com/callback", "//client.example.com/callback", uri + "\\@evil.example.com",
            "javascript:alert(1)", uri + "\r\nX: y", uri + "\u{0}",
        ] {
            let response = try await client.authorize(browser, [("redirect_uri", other)])
            #expect(response.status == 400, "\(other ?? "none")")
            #expect(response.value("Location") == nil)
            #expect(response.value("Content-Type")?.hasPrefix("text/html") == true)
        }
        let unknown = try await client.authorize(browser, [("client_id", "<script>alert(1)</script>")])
        #expect(unknown.status == 400)
        #expect(!unknown.text.contains("<script>alert"))
        for name in ["client_id", "redirect_uri"] {
            let path = RelyingParty.path(client.parameters() + [(name, "x")])
            #expect(try await browser.send("GET", path).status == 400)
        }
        #expect(try await browser.send("GET", "/oauth2/authorize?client_id=%").status == 400)
    }

    @Test(
        arguments: [
            ("response_type", nil, "invalid_request"), ("response_type", "token", "unsupported_response_type"),
            ("response_type", "code id_token", "unsupported_response_type"), ("response_mode", "fragment", "invalid_request"),
            ("scope", "openid nonsense", "invalid_scope"), ("scope", "open\"id", "invalid_scope"),
            ("code_challenge", nil, "invalid_request"), ("code_challenge_method", nil, "invalid_request"),
            ("code_challenge_method", "plain", "invalid_request"), ("code_challenge", "short", "invalid_request"),
            ("prompt", "none login", "invalid_request"), ("prompt", "nonsense", "invalid_request"),
            ("max_age", "-1", "invalid_request"), ("max_age", "soon", "invalid_request"), ("claims", "{", "invalid_request"),
            ("claims", "[]", "invalid_request"), ("request", "x.y.z", "request_not_supported"),
            ("request_uri", "https://client.example.com/request", "request_uri_not_supported"),
            ("registration", "{}", "registration_not_supported"), ("resource", "https://elsewhere.example.com", "invalid_target"),
            ("id_token_hint", "nonsense", "invalid_request"), ("dpop_jkt", "x", "invalid_request"),
        ] as [(String, String?, String)])
    func `what is wrong goes to the client`(name: String, value: String?, code: String) async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let (browser, _) = try await installation.browser()
        let response = try await client.authorize(browser, [(name, value)])
        #expect(response.status == 303)
        #expect(response.value("Location")?.hasPrefix(RelyingParty.redirectURI + "?") == true)
        #expect(response.redirected["error"] == code)
        #expect(response.redirected["state"] == "st4te")
        #expect(response.redirected["iss"] == "http://localhost:8080")
        #expect(response.redirected["code"] == nil)
    }

    @Test func `a parameter that comes twice is refused, one that is not known ignored`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let (browser, _) = try await installation.browser()
        for name in ["scope", "state", "code_challenge", "nonce", "prompt"] {
            let response = try await browser.send(
                "GET", RelyingParty.path(client.parameters([("prompt", "login")]) + [(name, "x")]))
            #expect(response.redirected["error"] == "invalid_request", "\(name)")
            #expect(response.redirected["state"] == (name == "state" ? nil : "st4te"))
        }
        let unknown = RelyingParty.path(client.parameters() + [("extra", "1"), ("extra", "2"), ("display", "popup")])
        #expect(try await browser.send("GET", unknown).redirected["code"] != nil)
        let usual = client.parameters([
            ("acr_values", "1 2"), ("ui_locales", "fr ja"), ("login_hint", "x"), ("claims_locales", "de"),
        ])
        let body = CookieClient.form(usual)
        #expect(
            try await browser.send("POST", "/oauth2/authorize", [CookieClient.formType], body: body).redirected["code"] != nil)
    }

    @Test func `the answer can be a form that the browser posts`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let (browser, _) = try await installation.browser()
        let response = try await client.authorize(browser, [("response_mode", "form_post"), ("state", "\"><script>x</script>")])
        #expect(response.status == 200)
        #expect(response.text.contains(#"<form method="post" action="https://client.example.com/callback">"#))
        #expect(response.text.contains(#"name="code""#))
        #expect(!response.text.contains("<script>x"))
        #expect(response.value("Content-Security-Policy")?.contains("form-action") == false)
    }

    @Test func `prompt none asks nobody`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let nobody = CookieClient(try server)
        #expect(try await client.authorize(nobody, [("prompt", "none")]).redirected["error"] == "login_required")
        let (browser, _) = try await installation.browser()
        #expect(try await client.authorize(browser, [("prompt", "none")]).redirected["code"] != nil)
        let third = try await installation.relyingParty()
        #expect(try await third.authorize(browser, [("prompt", "none")]).redirected["error"] == "consent_required")
        let other = try await installation.browser()
        let hint = try await client.tokens(other.0)["id_token"]?.stringValue
        let hinted = try await client.authorize(browser, [("prompt", "none"), ("id_token_hint", hint)])
        #expect(hinted.redirected["error"] == "login_required")
        // A hint may have expired.
        installation.clock.advance(by: .seconds(7200))
        try await other.0.signInOnPage(other.1.email)
        let late = try await client.authorize(other.0, [("prompt", "none"), ("id_token_hint", hint)])
        #expect(late.redirected["code"] != nil, "\(late.redirected)")
    }

    @Test(arguments: [
        (#"{"id_token":{"acr":{"essential":true,"values":["9"]}}}"#, "access_denied"),
        (#"{"id_token":{"sub":{"value":"nobody"}}}"#, "login_required"),
        (#"{"id_token":{"sub":{"value":5}}}"#, "login_required"),
        (#"{"id_token":{"sub":{"values":["019b7ca9-8f2e-7a91-b337-de236478dada"]}}}"#, "login_required"),
        (#"{"id_token":{"acr":{"values":["9"]}}}"#, nil), (#"{"id_token":{"acr":{"essential":true,"values":["1"]}}}"#, nil),
    ])
    func `what a claim has to be is a condition`(claims: String, error: String?) async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let (browser, _) = try await installation.browser()
        let response = try await client.authorize(browser, [("prompt", "none"), ("claims", claims)])
        #expect(response.redirected["error"] == error && (response.redirected["code"] == nil) == (error != nil))
    }

    @Test(arguments: [("prompt", "login"), ("prompt", "select_account"), ("max_age", "0"), ("max_age", "60")])
    func `a sign-in that is too old does not count, a new one does once`(name: String, value: String) async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let (browser, account) = try await installation.browser()
        installation.clock.advance(by: .seconds(90))
        let response = try await client.authorize(browser, [(name, value)])
        let continuation = try #require(response.continuation, "\(response.text)")
        #expect(response.value("Location")?.hasPrefix("/sign-in?") == true)
        // The page has not been used: the same session is as old as before.
        #expect(try await browser.send("GET", continuation).continuation != nil)
        // Nobody makes a mark, or takes that of another request.
        let forged = continuation.replacing("login_after=", with: "login_after=1")
        #expect(try await browser.send("GET", forged).continuation != nil)
        let mark = continuation.split(separator: "&").first { $0.hasPrefix("login_after=") }.map(String.init) ?? ""
        installation.clock.advance(by: .seconds(5))
        let next = try await browser.signInOnPage(account.email, continuing: continuation)
        #expect(try await browser.send("GET", next).redirected["code"] != nil)
        installation.clock.advance(by: .seconds(90))
        let stolen = RelyingParty.path(client.parameters([(name, value), ("state", "other")])) + "&" + mark
        #expect(try await browser.send("GET", stolen).continuation != nil)
    }

    @Test func `what was begun in another browser makes no old sign-in count`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let stranger = CookieClient(try server)
        let continuation = try #require(try await client.authorize(stranger, [("prompt", "login")]).continuation)
        installation.clock.advance(by: .seconds(5))
        // Signed in since, but not for that.
        let (browser, account) = try await installation.browser()
        let asked = try await browser.send("GET", continuation)
        #expect(asked.value("Location")?.hasPrefix("/sign-in?") == true, "\(asked.redirected)")
        let own = try #require(asked.continuation)
        installation.clock.advance(by: .seconds(5))
        let next = try await browser.signInOnPage(account.email, continuing: own)
        #expect(try await browser.send("GET", next).redirected["code"] != nil)
    }

    @Test func `a request that is too long for an address is kept`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let (account, browser) = (try await server.signUp(), CookieClient(try server))
        let state = String(repeating: "s", count: 4000)
        let response = try await client.authorize(browser, [("state", state)])
        let continuation = try #require(response.continuation)
        #expect(continuation.utf8.count < 1000)
        let next = try await browser.signInOnPage(account.email, continuing: continuation)
        #expect(try await browser.send("GET", next).redirected["state"] == state)
        #expect(try await browser.send("GET", next).status == 400)
    }

    @Test func `a native app comes back to any port of its own machine, or by its own scheme`() async throws {
        let installation = try #require(installation)
        let loopback = try await installation.relyingParty("--native", "--first-party", redirectURI: "http://127.0.0.1/callback")
        let (browser, _) = try await installation.browser()
        for uri in ["http://127.0.0.1:49152/callback", "http://127.0.0.1/callback"] {
            #expect(try await loopback.authorize(browser, [("redirect_uri", uri)]).redirected["code"] != nil)
        }
        for uri in [
            "http://127.0.0.1:49152/other", "http://localhost:49152/callback", "http://127.0.0.1:1@evil.example.com/callback",
        ] {
            #expect(try await loopback.authorize(browser, [("redirect_uri", uri)]).status == 400, "\(uri)")
        }
        let scheme = try await installation.relyingParty("--native", "--first-party", redirectURI: "com.example.app:/callback")
        let response = try await scheme.authorize(browser)
        #expect(response.value("Location")?.hasPrefix("com.example.app:/callback?code=") == true)
        #expect(try await scheme.redeem(try #require(response.redirected["code"])).status == 200)
    }

    @Test func `the metadata says what is served, to every page`() async throws {
        for path in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] {
            let response = try await server.get(path)
            #expect(response.status == 200)
            #expect(response.value("Access-Control-Allow-Origin") == "*")
            #expect(response.json["issuer"] == "http://localhost:8080")
            #expect(response.json["request_uri_parameter_supported"] == false)
            for (name, value) in response.json.objectValue?.members.map({ ($0.key, $0.value) }) ?? []
            where name.hasSuffix("_endpoint") {
                let path = value.stringValue?.dropFirst("http://localhost:8080".count) ?? ""
                #expect(try await server.get(String(path)).status != 404, "\(name)")
            }
        }
    }
}
