import Crypto
import Identity
import Networking
import Server
import TestSupport
import Testing
import Text

/// The buttons of other providers, with an issuer for development in their place that is asked as they are.
@Suite(.needsServers, .serialized) struct ProviderCodeFlowTests {
    /// An installation, and the issuer behind its buttons.
    private struct World: Sendable {
        let server: TestHTTPClient
        let issuer: RunningDevIssuer
        let provider: TestHTTPClient

        /// Presses a button; the path of the provider's page.
        func press(_ name: String, _ visitor: PageVisitor, on page: TestHTTPResponse? = nil) async throws -> String {
            var page = page
            if page == nil { page = try await visitor.open("/sign-in?continue=%2Fdevice") }
            let answer = try await visitor.submit(try #require(page), "/sign-in/provider", [("provider", name)])
            let location = try #require(answer.value("Location"))
            #expect(answer.status == 303 && location.hasPrefix("\(issuer.url)/\(name)/authorize?"), "\(location)")
            return String(location.dropFirst(issuer.url.count))
        }

        /// What somebody answers on the provider's page.
        func answer(_ path: String, _ fields: [(String, String)]) async throws -> TestHTTPResponse {
            let page = try await provider.send("GET", path)
            #expect(page.status == 200 && page.text.contains("<form method=\"post\">"), "\(page.text)")
            return try await provider.form(path, fields)
        }

        /// Where Google sends a browser back to, as a path of ours.
        func back(_ path: String, _ fields: [(String, String)]) async throws -> String {
            let location = try #require(try await answer(path, fields).value("Location"))
            #expect(location.hasPrefix("\(PageVisitor.origin)/sign-in/callback/google?"), "\(location)")
            return String(location.dropFirst(PageVisitor.origin.count))
        }

        /// Sends Apple's form as browsers do, from another site and so without our cookies; where that leads.
        func post(_ page: TestHTTPResponse) async throws -> String {
            let path = "/sign-in/callback/apple"
            let fields = try #require(PageVisitor.hidden(page, PageVisitor.origin + path), "\(page.text)")
            let posted = try await PageVisitor(server).post(path, fields, origin: issuer.url, site: "cross-site")
            let location = try #require(posted.value("Location"), "\(posted.text)")
            #expect(posted.status == 303 && !location.contains("code="))
            return location
        }
    }

    private func withProviders(_ body: @Sendable (World) async throws -> Void) async throws {
        let issuer = try await RunningDevIssuer.start(on: .ip(.v4(0x7F00_0001), port: 0)) { TestClock.start }
        let result: Result<Void, any Error>
        do {
            let port = try #require(issuer.url.split(separator: ":").last.flatMap { UInt16($0) })
            let key = Base64.encode(try SigningKey.generate(.es256).exportPKCS8().revealedBytes)
            let installation = try Installation { configuration in
                configuration.federation.google = .google(clientIDs: ["shop.apps.googleusercontent.com"])
                configuration.federation.google.issuers = [issuer.url + "/google"]
                configuration.federation.apple = .apple(clientIDs: ["com.example.shop"])
                configuration.federation.apple.issuers = [issuer.url + "/apple"]
                configuration.federation.google.keySetURL = issuer.url + "/keys"
                configuration.federation.apple.keySetURL = issuer.url + "/keys"
                var tokens = configuration.providerTokens
                tokens.googleClientSecret = SecretString("google-secret")
                tokens.appleTeamID = "TEAM123456"
                tokens.appleKeyID = "KEY1234567"
                tokens.applePrivateKey = AppleCredentials.PrivateKey(
                    pem: SecretString("-----BEGIN PRIVATE KEY-----\n\(key)\n-----END PRIVATE KEY-----\n"))
                tokens.googleAuthorizeURL = issuer.url + "/google/authorize"
                tokens.googleTokenURL = issuer.url + "/google/token"
                tokens.googleRevokeURL = issuer.url + "/google/revoke"
                tokens.appleAuthorizeURL = issuer.url + "/apple/authorize"
                tokens.appleTokenURL = issuer.url + "/apple/token"
                tokens.appleRevokeURL = issuer.url + "/apple/revoke"
                configuration.providerTokens = tokens
            }
            try await installation.run { installation in
                try await body(
                    World(server: try installation.server, issuer: issuer, provider: TestHTTPClient(port: port)))
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await issuer.stop()
        try result.get()
    }

    private static func callback(_ state: String, _ code: String) -> String {
        "/sign-in/callback/google?" + PercentEncoding.encode(fields: [("state", state), ("code", code)])
    }

    @Test func `somebody signs in with Google, in the browser in which that began and once`() async throws {
        try await withProviders { world in
            let (visitor, stranger, person) = (PageVisitor(world.server), PageVisitor(world.server), Person())
            let back = try await world.back(
                try await world.press("google", visitor), [("email", person.email), ("email_verified", "on"), ("name", "Mei")])
            _ = try await stranger.open("/sign-in")
            #expect(try await stranger.open(back).status == 400)
            #expect(stranger.session == nil)
            let done = try await visitor.open(back)
            #expect(done.status == 303 && done.value("Location") == "/device", "\(done.text)")
            #expect(try await visitor.open("/account").text.contains(person.email))
            #expect(try await visitor.open(back).status == 400)
            // The code of that sign-in, in another one.
            let other = try await world.press("google", stranger)
            let state = try #require(PageClient.parameter("state", of: other))
            let code = try #require(PageClient.parameter("code", of: back))
            #expect(try await stranger.open(Self.callback(state, code)).status == 400)
            #expect(stranger.session == nil)
            // The same account at the provider is the same here.
            let again = try await world.back(
                try await world.press("google", stranger), [("email", person.email), ("email_verified", "on")])
            #expect(try await stranger.open(again).status == 303)
            #expect(try await stranger.open("/account").text.contains(person.email))
        }
    }

    @Test func `a code of another attempt and a token with another nonce sign nobody in`() async throws {
        try await withProviders { world in
            let (visitor, attacker, person) = (PageVisitor(world.server), PageVisitor(world.server), Person())
            let fields = [("email", person.email), ("email_verified", "on")]
            // A fresh code of the attacker's, brought to the victim's attempt: its verifier is another (RFC 9700 §4.5).
            let theirs = try await world.back(try await world.press("google", attacker), fields)
            let first = try await world.press("google", visitor)
            let injected = try await visitor.open(
                Self.callback(
                    try #require(PageClient.parameter("state", of: first)),
                    try #require(PageClient.parameter("code", of: theirs))))
            #expect(injected.status == 400 && injected.text.contains("The sign-in with Google did not work."))
            let second = try await world.press("google", visitor)
            let nonce = try #require(PageClient.parameter("nonce", of: second))
            let changed = try await world.back(second.replacing("nonce=\(nonce)", with: "nonce=another"), fields)
            #expect(try await visitor.open(changed).status == 400)
            let without = try await world.press("google", visitor)
            let given = try #require(PageClient.parameter("nonce", of: without))
            let none = try await world.back(without.replacing("nonce=\(given)", with: "x=y"), fields)
            #expect(try await visitor.open(none).status == 400)
            #expect(visitor.session == nil)
        }
    }

    @Test func `who cancels at the provider can try again or sign in another way`() async throws {
        try await withProviders { world in
            let (visitor, person) = (PageVisitor(world.server), Person())
            let back = try await world.back(try await world.press("google", visitor), [("decision", "cancel")])
            #expect(back.contains("error=access_denied"))
            let page = try await visitor.open(back)
            #expect(page.status == 400 && page.text.contains("The sign-in with Google did not work."))
            #expect(page.text.contains("id=\"password\"") && page.text.contains("Continue with Apple"))
            let again = try await world.back(
                try await world.press("google", visitor, on: page), [("email", person.email), ("email_verified", "on")])
            #expect(try await visitor.open(again).value("Location") == "/device")
        }
    }

    @Test func `somebody signs in with Apple, whose form comes from another site without our cookies`() async throws {
        try await withProviders { world in
            let (visitor, stranger) = (PageVisitor(world.server), PageVisitor(world.server))
            let person = Person(at: "town.example")
            let target = try await world.press("apple", visitor)
            #expect(PageClient.parameter("response_mode", of: target) == "form_post")
            let page = try await world.answer(
                target, [("email", person.email), ("email_verified", "on"), ("name", "Mei <b> Tanaka")])
            let location = try await world.post(page)
            _ = try await stranger.open("/sign-in")
            #expect(try await stranger.open(location).status == 400)
            #expect(stranger.session == nil)
            let done = try await visitor.open(location)
            #expect(done.status == 303 && done.value("Location") == "/device", "\(done.text)")
            let account = try await visitor.open("/account").text
            #expect(account.contains(person.email) && account.contains("Mei &lt;b&gt; Tanaka") && !account.contains("Mei <b>"))
            // The same form once more.
            #expect(try await visitor.open(try await world.post(page)).status == 400)
            // Of two forms for one attempt the first counts.
            let next = try await world.press("apple", stranger)
            let denied = try await world.post(try await world.answer(next, [("decision", "cancel")]))
            let late = try await world.post(try await world.answer(next, [("email", person.email)]))
            #expect(denied == late)
            let refused = try await stranger.open(late)
            #expect(refused.status == 400 && refused.text.contains("The sign-in with Apple did not work."))
            #expect(refused.text.contains("id=\"password\"") && stranger.session == nil)
        }
    }
}
