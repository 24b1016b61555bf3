import HTTP
import Routing
import Server
import TestSupport
import Testing
import Text

/// What pages of other sites try, and what pages of ours may do.
@Suite(
    .needsServers, .installation { $0.cookies.trustedOrigins = Set([WebOrigin("https://www.example.org")].compactMap(\.self)) })
struct CookieCrossSiteTests {
    typealias Fields = [(name: String, value: String)]

    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    static let own = "http://localhost:8080"
    static let trusted = "https://www.example.org"

    private static let hostile: [Fields] = [
        [("Origin", "https://evil.example")], [("Origin", "null")], [("Origin", "")],
        [("Origin", "http://localhost:8080.evil.example")],
        [("Origin", "http://localhost:80801")], [("Origin", "https://localhost:8080")], [("Origin", "http://localhost")],
        [("Origin", "http://LOCALHOST:8080")], [("Origin", "http://localhost:8080/")], [("Origin", "http://evil.localhost:8080")],
        [("Origin", own), ("Origin", "https://evil.example")], [("Origin", own), ("Sec-Fetch-Site", "cross-site")],
        [("Origin", own), ("Sec-Fetch-Site", "same-site")],
        [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "same-origin")],
        [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Sec-Fetch-Site", "")],
        [("Sec-Fetch-Site", "Same-Origin")], [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")],
        [("Referer", "https://evil.example/")], [("Referer", own + "/")], [("Sec-Fetch-Mode", "navigate")], [("Sec-CH-UA", "x")],
    ]

    private func signedIn() async throws -> CookieClient {
        let client = CookieClient(try server)
        #expect(try await client.logIn(try await server.signUp().email).status == 200)
        return client
    }

    @Test func `a page of another site changes nothing`() async throws {
        let (client, account) = (try await signedIn(), try await server.signUp())
        for fields in Self.hostile {
            expectCrossSite(try await client.logIn(account.email, with: fields))
            for body in [nil, ""] { expectCrossSite(try await client.send("POST", "/logout", fields, body: body)) }
            expectCrossSite(try await client.send("POST", "/logout-all", fields))
            expectCrossSite(try await client.send("DELETE", "/session/AAAAAAAAAAAAAAAAAAAAAA", fields))
        }
        #expect(try await client.touch().status == 200)
    }

    @Test func `neither does it where nobody is signed in`() async throws {
        let client = CookieClient(try server)
        for fields in Self.hostile { expectCrossSite(try await client.logOut(fields)) }
    }

    @Test func `a page of ours may, by script`() async throws {
        let account = try await server.signUp()
        for fields in [
            [("Origin", Self.own)], [("Origin", Self.own), ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "cors")],
            [("Sec-Fetch-Site", "same-origin")], [("Sec-Fetch-Site", "none")],
            [("Origin", Self.trusted)], [("Origin", Self.trusted), ("Sec-Fetch-Site", "cross-site")],
            [("Origin", Self.trusted), ("Sec-Fetch-Site", "same-site")],
        ] as [Fields] {
            let client = CookieClient(try server)
            #expect(try await client.logIn(account.email, with: fields).status == 200)
            #expect(try await client.logOut(fields).text == #"{"status":"ok"}"#)
            expectSignedOut(try await client.touch(), "unauthenticated")
        }
    }

    @Test func `an old browser proves by a field of its own that it is no form`() async throws {
        let client = try await signedIn()
        let json = (name: "Content-Type", value: "application/json")
        let referer = (name: "Referer", value: "http://localhost:8080/page")
        expectCrossSite(try await client.send("POST", "/logout", [referer, json], body: "{}"))
        let marker = (name: "X-Requested-With", value: "XMLHttpRequest")
        expectCrossSite(try await client.send("POST", "/logout", [referer, marker, CookieClient.formType], body: "a=b"))
        #expect(try await client.send("POST", "/logout", [referer, marker, json], body: "{}").status == 200)
    }

    @Test func `a form of ours needs its session's token`() async throws {
        let (client, other) = (try await signedIn(), try await signedIn())
        func token(_ client: CookieClient) async throws -> String {
            try #require(try await client.send("GET", "/session").json["csrf_token"]?.stringValue)
        }
        let (own, foreign) = (try await token(client), try await token(other))
        let form: Fields = [
            ("Origin", Self.own), ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "navigate"), CookieClient.formType,
        ]
        for body in ["", "a=b", "csrf_token=", "csrf_token=x", "csrf_token=\(foreign)"] {
            expectCrossSite(try await client.send("POST", "/logout", form, body: body))
            expectCrossSite(try await client.send("POST", "/logout-all", form, body: body))
        }
        let mark = (name: "X-CSRF-Token", value: foreign)
        expectCrossSite(try await client.send("POST", "/logout", [mark]))
        expectCrossSite(try await client.send("DELETE", "/session/AAAAAAAAAAAAAAAAAAAAAA", [mark]))
        expectCrossSite(try await client.send("POST", "/logout", form + [mark], body: "csrf_token=\(own)"))
        #expect(try await client.touch().status == 200)
        #expect(try await client.send("POST", "/logout-all", form, body: "keep_current=1&csrf_token=\(own)").status == 200)
        #expect(try await client.send("POST", "/logout", form + [("X-CSRF-Token", own)], body: "").status == 200)
        expectSignedOut(try await client.touch(), "unauthenticated")
    }

    @Test func `the scripts of trusted pages may read the answers, and no others`() async throws {
        let client = try await signedIn()
        for path in ["/touch", "/session"] {
            let response = try await client.send("GET", path, [("Origin", Self.trusted), ("Sec-Fetch-Site", "cross-site")])
            #expect(response.value("Access-Control-Allow-Origin") == Self.trusted)
            #expect(response.value("Access-Control-Allow-Credentials") == "true")
            #expect(response.value("Vary") == "Origin")
        }
        for fields in [[], [("Origin", "https://evil.example")], [("Origin", "null")], [("Origin", Self.own)]] as [Fields] {
            let response = try await client.send("GET", "/session", fields)
            #expect(response.status == 200)
            #expect(response.value("Access-Control-Allow-Origin") == nil)
            #expect(response.value("Access-Control-Allow-Credentials") == nil)
        }
        let refused = try await CookieClient(try server).logIn("x", with: [("Origin", Self.trusted)])
        #expect(refused.status == 401)
        #expect(refused.value("Access-Control-Allow-Origin") == Self.trusted)
    }

    @Test func `their browsers may ask before they send more than a form could`() async throws {
        let asking: Fields = [("Origin", Self.trusted), ("Access-Control-Request-Method", "DELETE")]
        let allowed = try await server.send("OPTIONS", "/session/x", asking)
        #expect(allowed.status == 204)
        #expect(allowed.value("Access-Control-Allow-Methods") == "DELETE")
        #expect(allowed.value("Access-Control-Allow-Headers") == "Content-Type, X-CSRF-Token, X-Device-ID, X-Requested-With")
        #expect(allowed.value("Access-Control-Allow-Credentials") == "true")
        let evil = try await server.send("OPTIONS", "/session/x", [("Origin", "https://evil.example")])
        #expect(evil.value("Access-Control-Allow-Origin") == nil)
        #expect(evil.value("Access-Control-Allow-Methods") == nil)
    }
}
