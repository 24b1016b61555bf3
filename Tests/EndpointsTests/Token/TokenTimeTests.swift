import Identity
import TestSupport
import Testing
import Text

/// What time does to the pairs, each test with a clock of its own.
@Suite(.needsServers)
struct TokenTimeTests {
    @Test func `a repetition within the grace gives the same pair with the same expiry, on any copy`() async throws {
        try await Installation().run(copies: 2) { installation in
            let server = try installation.server
            let (_, pair) = try await server.newPair()
            let first = try TokenPair(await server.renew(pair.refreshToken))
            installation.clock.advance(by: .seconds(5))
            #expect(try TokenPair(await installation.copies[1].http.renew(pair.refreshToken)) == first)
            #expect(try await server.isGood(first.accessToken))
        }
    }

    @Test func `a lost response costs no sign-in, and the pair that got lost is worth nothing`() async throws {
        try await Installation().run { installation in
            let server = try installation.server
            let (_, pair) = try await server.newPair()
            let lost = try TokenPair(await server.renew(pair.refreshToken))
            installation.clock.advance(by: .seconds(61))
            let recovered = try TokenPair(await server.renew(pair.refreshToken))
            #expect(recovered.refreshToken != lost.refreshToken)
            #expect(try await !server.isGood(lost.accessToken))
            #expect(try await server.isGood(recovered.accessToken))
        }
    }

    @Test(.needsOwnRedis)
    func `an access token that has expired still signs out`() async throws {
        let redis = try TestRedis()
        // Redis goes by its own clock: what expires by ours is taken out of it by hand.
        func expire(_ accessToken: String) throws {
            _ = try RedisProbe(port: redis.port).answers(to: ["DEL \(AccessTokenHash(of: accessToken).key)"])
        }
        try await Installation(redisURL: redis.url).run { installation in
            let server = try installation.server
            let backend = try await installation.backend()
            let (account, pair) = try await server.newPair()
            try expire(pair.accessToken)
            installation.clock.advance(by: .seconds(961))
            #expect(try await server.introspect(pair.accessToken, backend).text == #"{"active":false}"#)
            #expect(try await server.drop(pair.accessToken).text == "{}")
            expectInvalidBearer(try await server.renew(pair.refreshToken))
            let late = try TokenPair(await server.obtain(account.email))
            try expire(late.accessToken)
            installation.clock.advance(by: .seconds(960 + 86_402))
            expectInvalidBearer(try await server.drop(late.accessToken))
            _ = try TokenPair(await server.renew(late.refreshToken))
        }
    }
}

extension TestHTTPClient {
    fileprivate func isGood(_ accessToken: String) async throws -> Bool {
        try await get("/auth/me", bearer: accessToken).status == 200
    }
}
