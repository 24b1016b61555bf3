import HTTP
import Server
import TestSupport
import Testing
import Text

/// What the scheme of the issuer makes of the cookie.
@Suite(.needsServers, .installation { $0.issuer = "https://id.example.com/kidoban" })
struct CookieSchemeTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    @Test func `over https the cookie is the host's own and goes over https only`() async throws {
        let (account, client) = (try await server.signUp(), CookieClient(try server))
        let cookie = try ReceivedCookie(await client.logIn(account.email))
        #expect(cookie.name == "__Host-sid")
        #expect(cookie.attributes == ["path": "/", "httponly": "", "secure": "", "samesite": "Lax"])
        let saved = client.cookies
        #expect(try await client.touch().status == 200)
        let deletion = try ReceivedCookie(await client.logOut())
        #expect(deletion.attributes.keys.sorted() == ["expires", "httponly", "max-age", "path", "samesite", "secure"])
        client.cookies = saved
        expectSignedOut(try await client.touch(), cookie: "__Host-sid")
    }

    @Test func `the unsafe name counts for nothing there`() async throws {
        let (account, client) = (try await server.signUp(), CookieClient(try server))
        let cookie = try ReceivedCookie(await client.logIn(account.email))
        client.cookies = ["sid": cookie.value]
        expectSignedOut(try await client.touch(), "unauthenticated", cookie: "__Host-sid")
    }

    @Test func `the own origin is that of the issuer, without its path`() async throws {
        let (account, client) = (try await server.signUp(), CookieClient(try server))
        #expect(try await client.logIn(account.email, with: [("Origin", "https://id.example.com")]).status == 200)
        for origin in ["http://id.example.com", "https://id.example.com/kidoban", "http://localhost:8080", "https://example.com"]
        {
            expectCrossSite(try await client.logIn(account.email, with: [("Origin", origin)]))
        }
    }
}
