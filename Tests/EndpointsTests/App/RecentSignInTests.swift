import Endpoints
import Identity
import Server
import TestSupport
import Testing
import Text

/// What changes the ways in asks for a recent sign-in. One after the other, because each moves the clock.
@Suite(
    .serialized, .needsServers,
    .installation { configuration in
        TestProvider.configure(&configuration)
        configuration.accounts.recentSignIn = .seconds(120)
    }) struct RecentSignInTests
{
    var installation: Installation { get throws { try #require(Installation.current) } }
    var server: TestHTTPClient { get throws { try installation.server } }
    private static let refusal = #"{"error":"Recent sign-in required"}"#

    /// A user with a password and an identity at Google.
    private func member() async throws -> (account: Account, person: Person) {
        let (account, person) = (try await server.signUp(), Person())
        let linked = try await link(person, account)
        #expect(linked.status == 200, "\(linked.text)")
        return (account, person)
    }

    private func link(_ person: Person, _ account: Account) async throws -> TestHTTPResponse {
        let token = try TestProvider.google(person, at: try installation.clock.now)
        return try await server.post(
            "/auth/identities", ["oauth_provider": "google", "id_token": .string(token)], bearer: account.accessToken)
    }

    @Test func `an old session unlinks, links and deletes nothing, and a new sign-in does`() async throws {
        let (account, _) = try await member()
        try installation.clock.advance(by: .seconds(121))
        let server = try server
        let refused = [
            try await link(Person(), account), try await server.delete("/auth/identities/google", bearer: account.accessToken),
            try await server.send(
                .json(
                    "DELETE", "/auth/identities", (["oauth_provider": "google"] as JSONValue).serialized,
                    bearer: account.accessToken)),
            try await server.delete("/auth/me", bearer: account.accessToken),
        ]
        for response in refused {
            #expect(response.status == 403)
            #expect(response.text == Self.refusal)
        }
        // A refresh proves nothing anew.
        let refreshed = try await server.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)])
        let token = try #require(refreshed.json["accessToken"]?.stringValue)
        #expect(try await server.delete("/auth/me", bearer: token).status == 403)
        let again = try await server.signIn(account)
        #expect(try await server.delete("/auth/identities/google", bearer: again.accessToken).status == 204)
        #expect(try await server.delete("/auth/me", bearer: again.accessToken).status == 204)
    }

    @Test func `a sign-in with a provider is as good`() async throws {
        let (account, person) = try await member()
        try installation.clock.advance(by: .seconds(121))
        let again = try Account(
            await server.signIn("google", TestProvider.google(person, at: try installation.clock.now)))
        #expect(again.id == account.id)
        #expect(try await server.delete("/auth/me", bearer: again.accessToken).status == 204)
    }

    @Test func `rest-auth disconnects an account in a recent session only`() async throws {
        let person = Person()
        let django = DjangoClient(server: try server)
        let (_, key) = try await django.signedIn()
        let header = [("Authorization", "Token \(key)")]
        let token = try TestProvider.google(person, at: try installation.clock.now)
        #expect(try await django.send("/google/connect/", [("id_token", token)], header).status == 200)
        let list = try await server.send("GET", "/rest-auth/socialaccounts/", header)
        let id = try #require(list.json[0]?["id"]?.integerValue)
        try installation.clock.advance(by: .seconds(121))
        #expect(try await django.send("/socialaccounts/\(id)/disconnect/", [], header).status == 400)
        #expect(try await server.send("GET", "/rest-auth/socialaccounts/", header).json.arrayValue?.count == 1)
    }

    @Test func `by configuration old sessions delete, and disconnect as in the original`() async throws {
        try await Installation({
            TestProvider.configure(&$0)
            $0.app.deletesInOldSessions = true
            $0.restAuth.changesPasswordWithoutOld = true
        }).run { installation in
            let (server, person) = (try installation.server, Person())
            let account = try await server.signUp()
            let django = DjangoClient(server: server)
            let (_, key) = try await django.signedIn()
            let header = [("Authorization", "Token \(key)")]
            let token = try TestProvider.google(person, at: installation.clock.now)
            #expect(try await django.send("/google/connect/", [("id_token", token)], header).status == 200)
            let list = try await server.send("GET", "/rest-auth/socialaccounts/", header)
            let id = try #require(list.json[0]?["id"]?.integerValue)
            installation.clock.advance(by: .seconds(3600))
            #expect(try await django.send("/socialaccounts/\(id)/disconnect/", [], header).status == 200)
            let refreshed = try await server.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)])
            let fresh = try #require(refreshed.json["accessToken"]?.stringValue)
            #expect(try await server.delete("/auth/me", bearer: fresh).status == 204)
        }
    }
}
