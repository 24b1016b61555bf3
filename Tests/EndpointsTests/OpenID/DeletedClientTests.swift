import Identity
import TestSupport
import Testing
import Text

/// What is left of a client that an operator has deleted: nothing, also for one that is added later under the same id.
@Suite(.needsServers, .installation(), .serialized)
struct DeletedClientTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    @Test(arguments: [["--spa", "--first-party"], ["--web"]])
    func `with a client ends what its users have given it, and what waits for them`(options: [String]) async throws {
        let installation = try #require(installation)
        let client =
            try await options == ["--web"]
            ? installation.relyingParty("--web") : installation.relyingParty("--spa", "--first-party")
        let other = try await installation.relyingParty("--first-party")
        let (browser, account) = try await installation.browser()
        if options == ["--web"] { try installation.agree(account.id, to: client.id) }
        let kept = try await other.tokens(browser)
        let tokens = try await client.tokens(browser)
        let offline = try await client.tokens(browser, [("scope", "openid email profile offline_access")])
        let waiting = try await client.code(browser)
        let form = client.parameters()
        let pushed = try await server.form("/oauth2/par", form, client.credentials)
        let uri = try #require(pushed.json["request_uri"]?.stringValue, "\(pushed.text)")
        let backend = try await installation.backend()

        _ = try await installation.command(["client", "delete", client.id])
        for given in [tokens, offline] {
            let access = try #require(given["access_token"]?.stringValue)
            #expect(try await server.introspect(access, backend).text == #"{"active":false}"#)
            #expect(try await server.get("/oauth2/userinfo", bearer: access).status == 401)
        }
        // The browser's session and other clients go on.
        let mine = try #require(kept["access_token"]?.stringValue)
        #expect(try await server.introspect(mine, backend).json["active"] == true)

        let again = try await installation.command(
            ["client", "add", client.id, "--id", client.id] + options + ["--redirect-uri", RelyingParty.redirectURI])
        let secret = again.split(separator: "\n").first { $0.hasPrefix("client_secret=") }.map { String($0.dropFirst(14)) }
        let successor = RelyingParty(server: try server, id: client.id, secret: secret)
        for given in [tokens, offline] {
            let refreshed = try await successor.refresh(given["refresh_token"]?.stringValue ?? "")
            #expect(refreshed.json["error"] == "invalid_grant", "\(refreshed.text)")
        }
        #expect(try await successor.redeem(waiting).json["error"] == "invalid_grant")
        let late = try await browser.send("GET", RelyingParty.path([("client_id", client.id), ("request_uri", uri)]))
        #expect(late.status == 400, "\(late.value("Location") ?? "")")
        if options == ["--web"] {
            #expect(try await successor.authorize(browser, [("prompt", "none")]).redirected["error"] == "consent_required")
            try installation.agree(account.id, to: client.id)
        }
        #expect(try await successor.tokens(browser)["access_token"]?.stringValue != nil)
    }

    @Test func `a client that is disabled has nothing of its users while it is`() async throws {
        let installation = try #require(installation)
        let client = try await installation.relyingParty("--first-party")
        let (browser, _) = try await installation.browser()
        let (tokens, backend) = (try await client.tokens(browser), try await installation.backend())
        let access = try #require(tokens["access_token"]?.stringValue)
        #expect(try await server.get("/oauth2/userinfo", bearer: access).status == 200)
        _ = try await installation.command(["client", "disable", client.id])
        #expect(try await server.get("/oauth2/userinfo", bearer: access).status == 401)
        #expect(try await server.introspect(access, backend).json["active"] == false)
        _ = try await installation.command(["client", "enable", client.id])
        let refreshed = try await client.refresh(tokens["refresh_token"]?.stringValue ?? "")
        let later = try #require(refreshed.json["access_token"]?.stringValue, "\(refreshed.text)")
        #expect(try await server.get("/oauth2/userinfo", bearer: later).status == 200)
    }
}

extension Installation {
    /// Has a user agree to everything that clients usually ask for.
    fileprivate func agree(_ user: String, to client: String) throws {
        try TestDatabase.run(
            """
            INSERT INTO consents (user_id, client_id, scopes, granted_at)
            VALUES ('\(user)', '\(client)', '{openid,email,profile,offline_access}', now())
            """, on: databaseURL)
    }
}
