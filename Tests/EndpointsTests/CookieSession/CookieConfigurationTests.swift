import Routing
import Server
import TestSupport
import Testing
import Text

/// What operators can set, each in an installation of its own.
@Suite(.needsServers)
struct CookieConfigurationTests {
    @Test func `it can be mounted under a prefix, and the cookie is for the whole host`() async throws {
        try await Installation { $0.apis[prefixOf: "cookie"] = "/web" }.run { installation in
            let server = try installation.server
            let (account, client) = (try await server.signUp(), CookieClient(server, prefix: "/web"))
            #expect(try ReceivedCookie(await client.logIn(account.email)).attributes["path"] == "/")
            #expect(try await client.touch().status == 200)
            #expect(try await server.get("/touch").status == 404)
            #expect(try await server.get("/web/nothing").text == #"{"error":"not_found"}"#)
        }
    }

    @Test(arguments: [SetCookie.SameSite.strict, .none])
    func `SameSite is what the operator says`(_ sameSite: SetCookie.SameSite) async throws {
        try await Installation {
            $0.issuer = "https://id.example.com"
            $0.cookies.sameSite = sameSite
        }.run { installation in
            let server = try installation.server
            let client = CookieClient(server)
            let cookie = try ReceivedCookie(await client.logIn(try await server.signUp().email))
            #expect(cookie.attributes["samesite"] == (sameSite == .none ? "None" : "Strict"))
        }
    }

    @Test func `where no page is trusted nobody is told anything`() async throws {
        try await Installation().run { installation in
            let server = try installation.server
            let response = try await server.send("GET", "/touch", [("Origin", CookieCrossSiteTests.trusted)])
            #expect(response.value("Access-Control-Allow-Origin") == nil)
            #expect(response.value("Vary") == nil)
            #expect(try await server.send("OPTIONS", "/touch", [("Origin", CookieCrossSiteTests.trusted)]).status == 405)
            let client = CookieClient(server)
            expectCrossSite(try await client.logIn("a@example.com", with: [("Origin", CookieCrossSiteTests.trusted)]))
        }
    }
}
