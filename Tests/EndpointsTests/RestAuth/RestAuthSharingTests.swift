import Routing
import Server
import TestSupport
import Testing
import Text

/// Scripts of pages elsewhere that are clients of the rest-auth API.
@Suite(.needsServers)
struct RestAuthSharingTests {
    private typealias Fields = [(name: String, value: String)]
    private static let trusted = "https://app.example.com"

    @Test func `those of trusted pages sign in, ask and read the answers, and no others`() async throws {
        try await Installation {
            $0.cookies.trustedOrigins = Set([WebOrigin(Self.trusted)].compactMap(\.self))
        }.run { installation in
            let server = try installation.server
            for mount in ["/rest-auth", "/dj-rest-auth"] {
                let django = DjangoClient(server: server, mount: mount)
                let mark: Fields = [("Origin", Self.trusted), ("Sec-Fetch-Site", "same-site")]
                let login = try await django.send("/login/", [("email", "nobody@example.com"), ("password", "x")], mark)
                #expect(login.status == 400)
                let asked = try await django.get("/user", mark)
                #expect(asked.status == 401)
                for response in [login, asked, try await django.get("/nothing", mark)] {
                    #expect(response.value("Access-Control-Allow-Origin") == Self.trusted)
                    #expect(response.value("Access-Control-Allow-Credentials") == "true")
                }
                for origin in ["https://evil.example", "null", "http://localhost:8080"] {
                    #expect(try await django.get("/user/", [("Origin", origin)]).value("Access-Control-Allow-Origin") == nil)
                }
                for path in ["/user/", "/user"] {
                    let preflight = try await server.send("OPTIONS", mount + path, [("Origin", Self.trusted)])
                    #expect(preflight.status == 204)
                    #expect(preflight.value("Access-Control-Allow-Methods") == "GET, PUT, PATCH")
                    #expect(preflight.value("Access-Control-Allow-Headers")?.contains("Authorization, Content-Type") == true)
                }
                let evil = try await server.send("OPTIONS", mount + "/user/", [("Origin", "https://evil.example")])
                #expect(evil.value("Access-Control-Allow-Methods") == nil)
            }
        }
    }

    @Test func `where no page is trusted nobody is told anything`() async throws {
        try await Installation().run { installation in
            let django = DjangoClient(server: try installation.server)
            let response = try await django.get("/user/", [("Origin", Self.trusted)])
            #expect(response.value("Access-Control-Allow-Origin") == nil)
            #expect(try await installation.server.send("OPTIONS", "/rest-auth/user/", [("Origin", Self.trusted)]).status == 405)
        }
    }
}
