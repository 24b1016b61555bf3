import Routing
import Server
import TestSupport
import Testing
import Text

/// Scripts of pages elsewhere that keep tokens by themselves: clients of the app API and of the token resource.
@Suite(.needsServers)
struct BearerSharingTests {
    private static let trusted = "https://app.example.com"
    private static let page = [(name: "Origin", value: trusted), (name: "Sec-Fetch-Site", value: "cross-site")]

    /// A path of each API, its methods, and what a request for it without anything is answered.
    private static let apis = [
        ("/auth/me", "GET, PATCH, DELETE", 401), ("/auth/token", "POST, PUT, DELETE", 405), ("/auth/nothing", "", 404),
    ]

    @Test func `those of trusted pages ask and read the answers, and no others`() async throws {
        try await Installation {
            $0.cookies.trustedOrigins = Set([WebOrigin(Self.trusted)].compactMap(\.self))
        }.run { installation in
            let server = try installation.server
            for (path, methods, status) in Self.apis {
                let answer = try await server.send("GET", path, Self.page)
                #expect(answer.status == status)
                #expect(answer.value("Access-Control-Allow-Origin") == Self.trusted)
                #expect(answer.value("Access-Control-Expose-Headers")?.contains("Retry-After") == true)
                #expect(answer.value("Vary") == "Origin")
                for origin in ["https://evil.example", "null", "http://app.example.com"] {
                    let other = try await server.send("GET", path, [(name: "Origin", value: origin)])
                    #expect(other.value("Access-Control-Allow-Origin") == nil)
                }
                guard status != 404 else { continue }
                for path in [path, path + "/"] {
                    let preflight = try await server.send("OPTIONS", path, Self.page)
                    #expect(preflight.status == 204)
                    #expect(preflight.value("Access-Control-Allow-Methods") == methods)
                    #expect(preflight.value("Access-Control-Allow-Headers") == "Authorization, Content-Type, X-Device-ID")
                }
                let evil = try await server.send("OPTIONS", path, [(name: "Origin", value: "https://evil.example")])
                #expect(evil.value("Access-Control-Allow-Methods") == nil)
            }
        }
    }

    @Test func `where no page is trusted nobody is told anything`() async throws {
        try await Installation().run { installation in
            for (path, _, status) in Self.apis {
                let answer = try await installation.server.send("GET", path, Self.page)
                #expect(answer.status == status)
                #expect(answer.value("Access-Control-Allow-Origin") == nil)
                #expect(try await installation.server.send("OPTIONS", path, Self.page).status == (status == 404 ? 404 : 405))
            }
        }
    }
}
