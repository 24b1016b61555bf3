import Server
import TestSupport
import Testing
import Text

/// `/auth/identities`: the ways in that a user has at providers.
@Suite(.needsServers, .installation { TestProvider.configure(&$0) })
struct IdentitiesTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }
    private var now: Timestamp { get throws { try #require(installation).clock.now } }

    private func link(
        _ provider: String, _ token: String, _ bearer: String, nonce: String? = nil
    ) async throws -> TestHTTPResponse {
        var body = JSONObject([.init(key: "oauth_provider", value: .string(provider))])
        body["id_token"] = .string(token)
        body["nonce"] = nonce.map { .string($0) }
        return try await server.post("/auth/identities", .object(body), bearer: bearer)
    }

    private func providers(_ account: Account) async throws -> [JSONValue] {
        let response = try await server.get("/auth/identities", bearer: account.accessToken)
        return (response.json["identities"]?.arrayValue ?? []).compactMap { $0["oauth_provider"] }
    }

    @Test func `a user without any has an empty list, and a password`() async throws {
        let account = try await server.signUp()
        let response = try await server.get("/auth/identities", bearer: account.accessToken)
        #expect(response.status == 200)
        #expect(response.text == #"{"identities":[],"has_password":true}"#)
    }

    @Test func `a provider is linked, signs in, and is unlinked`() async throws {
        let (account, person, nonce) = (try await server.signUp(), Person(), Person.unique())
        let linked = try await link("apple", TestProvider.apple(person, nonce: nonce, at: now), account.accessToken, nonce: nonce)
        #expect(linked.status == 200, "\(linked.text)")
        let identity = try #require(linked.json["identities"]?[0])
        #expect(identity.keys == ["oauth_provider", "email", "is_private_email", "created_at", "last_used_at"])
        #expect(identity["email"] == .string(person.email))
        #expect(try await server.get("/auth/identities", bearer: account.accessToken).text == linked.text)
        let again = try await server.signIn("apple", TestProvider.apple(person, at: now))
        #expect(try Account(again).id == account.id)
        #expect(again.json["user"]?["email"] == .string(account.email))
        #expect(again.json["user"]?["oauth_provider"] == "apple")
        let unlinked = try await server.delete("/auth/identities/apple", bearer: account.accessToken)
        #expect(unlinked.status == 204)
        #expect(unlinked.body.isEmpty)
        #expect(try await providers(account).isEmpty)
        // What it had opened is over.
        #expect(try await server.get("/auth/me", bearer: Account(again).accessToken).status == 401)
        #expect(try await server.get("/auth/me", bearer: account.accessToken).keys.contains("oauth_provider") == false)
    }

    @Test func `the provider may be named in the body`() async throws {
        let account = try await server.signUp()
        #expect(try await link("google", TestProvider.google(Person(), at: now), account.accessToken).status == 200)
        func unlink(_ body: String) async throws -> TestHTTPResponse {
            try await server.send(.json("DELETE", "/auth/identities", Array(body.utf8), bearer: account.accessToken))
        }
        #expect(try await unlink("").text == OAuthRefusalTests.required)
        #expect(try await unlink("{}").status == 400)
        #expect(try await unlink(#"{"oauth_provider":"Not One"}"#).text == #"{"error":"Identity not found"}"#)
        #expect(try await unlink(#"{"oauth_provider":"google"}"#).status == 204)
        #expect(try await providers(account).isEmpty)
    }

    @Test func `what is somebody else's cannot be linked`() async throws {
        let person = Person()
        let owner = try Account(await server.signIn("google", TestProvider.google(person, at: now)))
        let account = try await server.signUp()
        let response = try await link("google", TestProvider.google(person, at: now), account.accessToken)
        #expect(response.status == 409)
        #expect(response.text == #"{"error":"Already linked to another account"}"#)
        #expect(try await providers(account).isEmpty)
        #expect(try Account(await server.signIn("google", TestProvider.google(person, at: now))).id == owner.id)
    }

    @Test func `a session of more than five minutes may not link, and the token is not used up by asking`() async throws {
        // Of its own, because it moves the clock.
        try await Installation({ TestProvider.configure(&$0) }).run { installation in
            let server = try installation.server
            let account = try await server.signUp()
            let body: JSONValue = ["oauth_provider": "google", "id_token": .string(try TestProvider.google(Person()))]
            installation.clock.advance(by: .milliseconds(300_001))
            let refreshed = try await server.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)])
            let bearer = try #require(refreshed.json["accessToken"]?.stringValue)
            for _ in 0..<2 {
                let response = try await server.post("/auth/identities", body, bearer: bearer)
                #expect(response.status == 403)
                #expect(response.text == #"{"error":"Recent sign-in required"}"#)
            }
            let fresh = try await server.signIn(account)
            #expect(try await server.post("/auth/identities", body, bearer: fresh.accessToken).status == 200)
        }
    }

    @Test func `the last way in stays`() async throws {
        let person = Person()
        let account = try Account(await server.signIn("google", TestProvider.google(person, at: now)))
        let list = try await server.get("/auth/identities", bearer: account.accessToken)
        #expect(list.json["has_password"] == false)
        let response = try await server.delete("/auth/identities/google", bearer: account.accessToken)
        #expect(response.status == 409)
        #expect(response.text == #"{"error":"Cannot remove the last sign-in method"}"#)
        #expect(
            try await server.delete("/auth/identities/apple", bearer: account.accessToken).text
                == #"{"error":"Identity not found"}"#)
        #expect(try await link("apple", TestProvider.apple(Person(), at: now), account.accessToken).status == 200)
        #expect(try await server.delete("/auth/identities/google", bearer: account.accessToken).status == 204)
        #expect(try await server.delete("/auth/identities/apple", bearer: account.accessToken).status == 409)
        #expect(try await providers(account) == ["apple"])
    }

    @Test func `a proof that proves nothing links nothing`() async throws {
        let account = try await server.signUp()
        for response in [
            try await link("google", TestProvider.google(Person(), at: now, isForged: true), account.accessToken),
            try await link("apple", TestProvider.google(Person(), at: now), account.accessToken),
            try await server.post(
                "/auth/identities", ["oauth_provider": "google", "oauth_id": "1"], bearer: account.accessToken),
        ] {
            #expect(response.status == 401)
            #expect(response.text == OAuthSignInTests.refused)
        }
        let nameless = try await server.post("/auth/identities", ["id_token": "x"], bearer: account.accessToken)
        #expect(nameless.text == OAuthRefusalTests.required)
        #expect(try await providers(account).isEmpty)
    }

    @Test func `nobody looks or changes without a token`() async throws {
        let body: JSONValue = ["oauth_provider": "google", "id_token": "x"]
        for response in [
            try await server.get("/auth/identities"), try await server.post("/auth/identities", body),
            try await server.delete("/auth/identities/google"), try await server.delete("/auth/identities"),
        ] {
            #expect(response.status == 401)
            #expect(response.text == MeTests.unauthorized)
        }
    }
}
