import Logging
import Outbound
import TestSupport
import Testing
import Text

@testable import Identity

@Suite struct CallSharesTests {
    @Test func `each client has so many under way, whatever the others have`() {
        var shares = CallShares(limit: 2)
        let begun = ["a", "a", "a", "b"].map { shares.begin($0) }
        #expect(begun == [true, true, false, true])
        shares.end("a")
        let again = ["a", "a"].map { shares.begin($0) }
        #expect(again == [true, false])
        for client in ["a", "a", "b", "b", "c"] { shares.end(client) }
        #expect(shares.clientCount == 0)
    }
}

extension WithStores {
    @Suite struct CallShareLimitTests {
        private static func caller(_ address: String) -> Caller {
            Caller(address: address, referenceID: nil, device: DeviceDescription(""))
        }

        @Test func `made-up access tokens of one address do not keep those of another from being asked about`() async throws {
            try await World.run { world in
                let provider = try FakeProvider(.silent)
                var configuration = OutboundConfiguration()
                configuration.timeout = .seconds(4)
                let https = try HTTPSClient(configuration)
                let google = GoogleTokenService(
                    client: nil, tokenURL: provider.server.url("/token"), tokenInfoURL: provider.server.url("/tokeninfo"),
                    https: https)
                let keys = provider.keys
                let copy = world.a
                let federation = await copy.run { parts in
                    Federation(
                        providers: [.google(clientIDs: ["a"])], keys: keys,
                        replays: ReplayMemory(redis: parts.redis, clock: .callers), limiter: parts.limiter, audit: parts.audit,
                        metrics: parts.metrics, system: parts.accounts.system,
                        endpoints: TokenEndpoints(google: google, apple: nil, callsPerAddress: 2, logger: .disabled))
                }
                @Sendable func ask(_ address: String, _ number: Int) async -> IdentityError? {
                    do {
                        _ = try await copy.run { _ in
                            try await federation.verify(
                                accessToken: SecretString("ya29.\(number)"), from: .google, nonce: nil,
                                caller: Self.caller(address))
                        }
                        return nil
                    } catch {
                        return error as? IdentityError
                    }
                }
                let refused = Locked(0)
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<12 {
                        group.addTask {
                            if case .service(.overloaded) = await ask("203.0.113.5", number) { refused.withLock { $0 += 1 } }
                        }
                    }
                    try? await eventually { refused.value == 10 }
                    // Google is asked, says nothing, and so nobody knows: another answer than for who has asked too much.
                    #expect(await ask("203.0.113.6", 99) == .unavailable(retryAfter: .seconds(5)))
                    await group.waitForAll()
                }
                #expect(refused.value == 10)
                #expect(provider.server.requests.count == 3)
                https.stop()
            }
        }
    }
}
