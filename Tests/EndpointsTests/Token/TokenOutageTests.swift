import TestSupport
import Testing
import Text

@Suite struct TokenOutageTests {
    private func expectUnavailable(_ response: TestHTTPResponse, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(response.status == 503, "\(response.text)", sourceLocation: sourceLocation)
        #expect(response.text == #"{"detail":"Service Unavailable"}"#, sourceLocation: sourceLocation)
        #expect(response.value("Retry-After").flatMap { Int($0) } ?? 0 >= 1, sourceLocation: sourceLocation)
    }

    @Test(.needsServers, .needsOwnRedis)
    func `without Redis the answer is 503, never 401, and afterwards all is as it was`() async throws {
        let redis = try TestRedis()
        try await Installation(redisURL: redis.url).run { installation in
            let server = try installation.server
            let (account, pair) = try await server.newPair()
            redis.stop()
            expectUnavailable(try await server.obtain(account.email))
            expectUnavailable(try await server.renew(pair.refreshToken))
            expectUnavailable(try await server.drop(pair.accessToken))
        }
    }

    @Test(.needsOwnPostgres, .needsOwnRedis)
    func `without PostgreSQL nobody signs in, but tokens are refreshed and ended`() async throws {
        let (postgres, redis) = (try TestPostgres(), try TestRedis())
        try await Installation(databaseURL: postgres.connectionString, redisURL: redis.url).run { installation in
            let server = try installation.server
            let (account, pair) = try await server.newPair()
            postgres.stop(.fast)
            expectUnavailable(try await server.obtain(account.email))
            let next = try TokenPair(await server.renew(pair.refreshToken))
            #expect(try await server.drop(next.accessToken).text == "{}")
        }
    }
}
