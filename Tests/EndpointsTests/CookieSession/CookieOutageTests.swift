import TestSupport
import Testing
import Text

@Suite struct CookieOutageTests {
    private func expectUnavailable(_ response: TestHTTPResponse, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(response.status == 503, "\(response.text)", sourceLocation: sourceLocation)
        #expect(response.text == #"{"error":"unavailable"}"#, sourceLocation: sourceLocation)
        #expect(response.value("Retry-After").flatMap { Int($0) } ?? 0 >= 1, sourceLocation: sourceLocation)
        #expect(response.value("Set-Cookie") == nil, "the cookie may still be good", sourceLocation: sourceLocation)
    }

    @Test(.needsServers, .needsOwnRedis)
    func `without Redis the answer is 503, never 401, and no cookie is taken away`() async throws {
        let redis = try TestRedis()
        try await Installation(redisURL: redis.url).run { installation in
            let server = try installation.server
            let (account, client) = (try await server.signUp(), CookieClient(server))
            #expect(try await client.logIn(account.email).status == 200)
            redis.stop()
            expectUnavailable(try await client.touch())
            expectUnavailable(try await client.send("GET", "/session"))
            expectUnavailable(try await client.send("GET", "/sessions"))
            expectUnavailable(try await client.logOut())
            expectUnavailable(try await client.send("POST", "/logout-all"))
            expectUnavailable(try await client.send("DELETE", "/session/AAAAAAAAAAAAAAAAAAAAAA"))
            expectUnavailable(try await client.logIn(account.email))
            client.cookies = [:]
            expectSignedOut(try await client.touch(), "unauthenticated")
        }
    }

    @Test(.needsServers, .needsOwnRedis)
    func `with a full Redis nobody signs in, but sessions are there and end, by cookies and on pages`() async throws {
        let redis = try TestRedis(["--maxmemory-policy", "noeviction"])
        try await Installation(redisURL: redis.url).run { installation in
            let (server, backend) = (try installation.server, try await installation.backend())
            let party = try await installation.relyingParty("--first-party")
            let (browser, _) = try await installation.browser()
            let tokens = try await party.tokens(browser, [("scope", "openid")])
            let access = try #require(tokens["access_token"]?.stringValue)
            let hint = try #require(tokens["id_token"]?.stringValue)
            let (account, client) = (try await server.signUp(), CookieClient(server))
            #expect(try await client.logIn(account.email).status == 200)
            try redis.command("CONFIG SET maxmemory 1")
            expectUnavailable(try await CookieClient(server).logIn(account.email))
            #expect(try await client.send("GET", "/session").status == 200)
            #expect(try await client.send("POST", "/logout-all").status == 200)
            expectSignedOut(try await client.touch(), "unauthenticated")
            #expect(try await browser.send("GET", "/account").status == 200)
            #expect(try await server.introspect(access, backend).json["active"] == true)
            let left = try await browser.send("GET", "/oauth2/logout?id_token_hint=\(hint)")
            #expect(left.status == 200, "\(left.text)")
            #expect(try await server.introspect(access, backend).json["active"] == false)
        }
    }

    @Test(.needsOwnPostgres, .needsOwnRedis)
    func `without PostgreSQL nobody signs in, but sessions live and end`() async throws {
        let (postgres, redis) = (try TestPostgres(), try TestRedis())
        try await Installation(databaseURL: postgres.connectionString, redisURL: redis.url).run { installation in
            let server = try installation.server
            let (account, client) = (try await server.signUp(), CookieClient(server))
            #expect(try await client.logIn(account.email).status == 200)
            postgres.stop(.fast)
            #expect(try await client.touch().status == 200)
            expectUnavailable(try await client.logIn(account.email))
            expectUnavailable(try await client.send("GET", "/session"))
            #expect(try await client.logOut().status == 200)
        }
    }
}
