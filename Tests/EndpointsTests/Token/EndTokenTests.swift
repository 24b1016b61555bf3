import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation())
struct EndTokenTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    @Test(arguments: ["bearer", "Bearer", "BEARER"])
    func `an access token ends its whole session, and leaves others alone`(_ scheme: String) async throws {
        let (account, pair) = try await server.newPair()
        let next = try TokenPair(await server.renew(pair.refreshToken))
        let other = try TokenPair(await server.obtain(account.email))
        let response = try await server.drop(next.accessToken, scheme: scheme)
        #expect(response.status == 200)
        #expect(response.text == "{}")
        #expect(response.value("Content-Type") == "application/json")
        #expect(response.value("Cache-Control") == "no-store")
        for token in [pair, next] {
            expectInvalidBearer(try await server.renew(token.refreshToken))
            expectInvalidBearer(try await server.drop(token.accessToken))
        }
        #expect(try await server.get("/auth/me", bearer: other.accessToken).status == 200)
    }

    @Test func `a refresh token does not sign out`() async throws {
        let (_, pair) = try await server.newPair()
        expectInvalidBearer(try await server.drop(pair.refreshToken))
        _ = try TokenPair(await server.renew(pair.refreshToken))
    }

    @Test func `a deleted user's token is not good here, as anywhere`() async throws {
        let (account, pair) = try await server.newPair()
        #expect(try await server.delete("/auth/me", bearer: account.accessToken).status == 204)
        expectInvalidBearer(try await server.renew(pair.refreshToken))
        expectInvalidBearer(try await server.drop(pair.accessToken))
    }
}
