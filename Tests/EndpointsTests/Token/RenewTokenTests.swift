import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation(copies: 2))
struct RenewTokenTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    private func isGood(_ accessToken: String) async throws -> Bool {
        try await server.get("/auth/me", bearer: accessToken).status == 200
    }

    @Test(arguments: ["bearer", "Bearer", "BEARER"])
    func `a refresh token gives a pair, both of it new`(_ scheme: String) async throws {
        let (_, pair) = try await server.newPair()
        let next = try TokenPair(await server.renew(pair.refreshToken, scheme: scheme))
        #expect(next.accessToken != pair.accessToken)
        #expect(next.refreshToken != pair.refreshToken)
        let now = try #require(installation).clock.now.seconds
        #expect((now + 898...now + 902).contains(next.expiresAt))
        #expect(try await isGood(pair.accessToken), "requests that are under way still need it")
        #expect(try await isGood(next.accessToken))
    }

    @Test func `a body is of no matter`() async throws {
        let (_, pair) = try await server.newPair()
        let fields = [(name: "Authorization", value: "bearer \(pair.refreshToken)"), (name: "Content-Type", value: "text/plain")]
        _ = try TokenPair(await server.send("PUT", "/auth/token", fields, body: ""))
        _ = try TokenPair(await server.send("PUT", "/auth/token", fields, body: "{"))
    }

    @Test func `fifty at once get one distinct pair`() async throws {
        let installation = try #require(installation)
        let (_, pair) = try await server.newPair()
        let servers = installation.copies.map(\.http)
        let distinct = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<50 {
                let server = servers[number % servers.count]
                group.addTask {
                    let pair = try TokenPair(await server.renew(pair.refreshToken))
                    return "\(pair)"
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(distinct.count == 1)
    }

    @Test func `once the successor has been used, the old one ends the session`() async throws {
        let (account, pair) = try await server.newPair()
        let other = try TokenPair(await server.obtain(account.email))
        let second = try TokenPair(await server.renew(pair.refreshToken))
        let third = try TokenPair(await server.renew(second.refreshToken))
        expectInvalidBearer(try await server.renew(pair.refreshToken))
        for token in [pair, second, third] {
            #expect(try await !isGood(token.accessToken))
            expectInvalidBearer(try await server.renew(token.refreshToken))
        }
        #expect(try await isGood(other.accessToken))
    }

    @Test func `an access token neither refreshes nor signs out here`() async throws {
        let (_, pair) = try await server.newPair()
        expectInvalidBearer(try await server.renew(pair.accessToken))
        #expect(try await isGood(pair.accessToken))
        _ = try TokenPair(await server.renew(pair.refreshToken))
    }

    @Test(arguments: [
        "x", "kdr_", "kdr_AAAAAAAAAAAAAAAAAAAAAA.1.AAAA", "kdc_AAAAAAAAAAAAAAAAAAAAAA.AAAA", "a b", "a,b", "%%%",
        String(repeating: "k", count: 9000),
    ])
    func `what is no token is refused as one that is not good`(_ token: String) async throws {
        expectInvalidBearer(try await server.renew(token))
        expectInvalidBearer(try await server.drop(token))
    }

    @Test(arguments: ["PUT", "DELETE"])
    func `without a bearer nobody is authenticated`(_ method: String) async throws {
        let fields: [[(name: String, value: String)]] = [
            [], [("Authorization", "Basic YTpi")], [("Authorization", "bearer")], [("Authorization", "bearer ")],
            [("Authorization", "")], [("Authorization", "Token abc")], [("Authorization", "Basic %%")],
        ]
        for fields in fields {
            let response = try await server.send(method, "/auth/token", fields)
            #expect(response.status == 401)
            #expect(response.text == #"{"detail":"Not authenticated"}"#)
            #expect(response.value("WWW-Authenticate") == "Bearer")
        }
    }

    @Test func `two fields are not one credential`() async throws {
        let (_, pair) = try await server.newPair()
        let field = (name: "Authorization", value: "bearer \(pair.refreshToken)")
        expectInvalidBearer(try await server.send("PUT", "/auth/token", [field, field]))
    }

    @Test func `the refresh token of any other session of the app does as well`() async throws {
        let account = try await server.signUp()
        let pair = try TokenPair(await server.renew(account.refreshToken))
        #expect(pair.refreshToken != account.refreshToken)
        #expect(try await isGood(pair.accessToken))
    }
}
