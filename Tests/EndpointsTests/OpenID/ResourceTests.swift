import Crypto
import Identity
import JOSE
import TestSupport
import Testing
import Text

/// Whom access tokens are for, and who acts with them.
@Suite(.needsServers, .installation(), .serialized)
struct ResourceTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    private func claims(_ token: JSONValue?) async throws -> JWTClaims {
        let keys = try JWKSet.parse(try await server.get("/.well-known/jwks.json").body)
        return try UnverifiedJWS.parse(try #require(token?.stringValue)).verify(with: keys, allowing: [.es256]).claims()
    }

    /// The example of RFC 8707 §2.2.
    @Test func `a token for one of two resources leaves the other one to the refresh token`() async throws {
        let installation = try #require(installation)
        let (calendar, contacts) = ("https://cal.example.com/", "https://contacts.example.com/")
        let client = try await installation.relyingParty(
            "--first-party", "--audience", calendar, "--audience", contacts, "--audience", "third", "--scope", "read")
        let (browser, _) = try await installation.browser()
        let path = RelyingParty.path(
            client.parameters([("scope", "read")]) + [("resource", calendar), ("resource", contacts)])
        let code = try #require(try await browser.send("GET", path).redirected["code"])
        let first = try await client.redeem(code, [("resource", calendar)])
        #expect(try await claims(first.json["access_token"]).audience == [calendar], "\(first.text)")
        let token = try #require(first.json["refresh_token"]?.stringValue)
        for (resources, expected) in [([contacts], [contacts]), ([], [calendar, contacts]), ([calendar], [calendar])] {
            let refreshed = try await client.refresh(token, resources.map { ("resource", $0) })
            #expect(try await claims(refreshed.json["access_token"]).audience == expected, "\(refreshed.text)")
        }
        #expect(try await client.refresh(token, [("resource", "third")]).json["error"] == "invalid_target")
    }

    @Test func `a token that is exchanged again says who acts, and who has before`() async throws {
        let installation = try #require(installation)
        func service(_ audiences: String...) async throws -> RelyingParty {
            let id = "actor-\(UInt64.random(in: .min ... .max))"
            let output = try await installation.command(
                ["client", "add", id, "--id", id, "--service", "--grant", "token_exchange", "--scope", "read"]
                    + audiences.flatMap { ["--audience", $0] })
            let secret = output.split(separator: "\n").first { $0.hasPrefix("client_secret=") }.map { String($0.dropFirst(14)) }
            return RelyingParty(server: try server, id: id, secret: secret)
        }
        let client = try await installation.relyingParty("--first-party", "--audience", "api", "--scope", "read")
        let (account, browser) = (try await server.signUp(), CookieClient(try server))
        try installation.change(account.email, #"claims = '{"act": {"sub": "nobody"}}'"#)
        try await browser.signInOnPage(account.email)
        let (first, second) = (try await service("api", "next"), try await service("next", "last"))
        func exchange(_ token: JSONValue?, by party: RelyingParty, for audience: String) async throws -> JSONValue? {
            let answer = try await party.token([
                ("grant_type", GrantType.tokenExchange.rawValue), ("subject_token", token?.stringValue ?? ""),
                ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"), ("audience", audience),
            ])
            #expect(answer.status == 200, "\(answer.text)")
            return answer.json["access_token"]
        }
        let mine = try await client.tokens(browser, [("scope", "read")])["access_token"]
        #expect(try await claims(mine)["act"] == nil)
        let once = try await exchange(mine, by: first, for: "next")
        #expect(try await claims(once)["act"] == ["sub": .string(first.id)])
        let twice = try await exchange(once, by: second, for: "last")
        let chain: JSONValue = ["sub": .string(second.id), "act": ["sub": .string(first.id)]]
        #expect(try await claims(twice)["act"] == chain)
        let backend = try await installation.addClient("last", "--introspect", "--audience", "last")
        let seen = try await server.introspect(try #require(twice?.stringValue), backend).json
        #expect(seen["act"] == chain, "\(seen)")
        // Not for ever.
        var token = twice
        for _ in 0..<6 { token = try await exchange(token, by: second, for: "last") }
        let late = try await second.token([
            ("grant_type", GrantType.tokenExchange.rawValue), ("subject_token", token?.stringValue ?? ""),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"), ("audience", "last"),
        ])
        #expect(late.json["error"] == "invalid_request", "\(late.text)")
    }
}
