import Testing
import Text

@testable import Identity

extension WithStores {
    /// Codes that are used up once.
    @Suite struct AuthorizationCodesTests {
        private static let request = AuthorizedRequest(
            clientID: World.clientID("shop"), redirectURI: "https://shop.example/", challenge: nil, userID: Sample.userID,
            sessionID: Sample.sessionID, scopes: ["openid"], resources: [], nonce: nil, idTokenClaims: [],
            userInfoClaims: [], dpopThumbprint: nil, agreedAt: Timestamp(milliseconds: 1_800_000_000_123))

        @Test func `a code that an outage has used up is good again, unless it came twice`() async throws {
            try await World.run { world in
                let parts = world.a.parts
                let codes = AuthorizationCodeStore(redis: parts.redis, life: .seconds(60), memory: .seconds(3600))
                let code = AuthorizationCode(random: [UInt8](repeating: 7, count: AuthorizationCode.byteCount))
                let request = Self.request
                let grant = AuthorizationCodeStore.GrantReference(sessionID: Sample.sessionID, grantID: GrantID(7))
                try await world.a.run { _ in
                    try await codes.issue(code, for: request)
                    // What is not used up stays as it is.
                    await codes.giveBack(code)
                    for _ in 0..<2 {
                        guard case .first(request) = try await codes.redeem(code) else {
                            Issue.record("it is used up")
                            return
                        }
                        #expect(try await codes.note(grant, of: code))
                        await codes.giveBack(code)
                    }
                    _ = try await codes.redeem(code)
                    guard case .again(request, nil) = try await codes.redeem(code) else {
                        Issue.record("it is good twice")
                        return
                    }
                    await codes.giveBack(code)
                    guard case .again = try await codes.redeem(code) else {
                        Issue.record("a copy of it is about, and it is good")
                        return
                    }
                }
            }
        }

        @Test func `a code that is given back is good no longer than it would have been`() async throws {
            try await World.run { world in
                let codes = AuthorizationCodeStore(
                    redis: world.a.parts.redis, life: .milliseconds(200), memory: .seconds(3600))
                let code = AuthorizationCode(random: [UInt8](repeating: 8, count: AuthorizationCode.byteCount))
                let request = Self.request
                try await world.a.run { _ in try await codes.issue(code, for: request) }
                try await eventually {
                    try await world.a.run { _ in
                        guard case .first = try await codes.redeem(code) else { return true }
                        await codes.giveBack(code)
                        return false
                    }
                }
                guard case .unknown = try await world.a.run({ _ in try await codes.redeem(code) }) else {
                    Issue.record("it is remembered as used")
                    return
                }
            }
        }
    }
}
