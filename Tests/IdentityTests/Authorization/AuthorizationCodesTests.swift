import Redis
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
        private static let code = AuthorizationCode(random: [UInt8](repeating: 7, count: AuthorizationCode.byteCount))
        private static let grant = AuthorizationCodeStore.GrantReference(sessionID: Sample.sessionID, grantID: GrantID(7))

        /// Lends the store with a code in it.
        private static func run(
            life: Duration = .seconds(60), _ body: @escaping @Sendable (TestClock, AuthorizationCodeStore) async throws -> Void
        ) async throws {
            try await World.run { world in
                let parts = world.a.parts
                let codes = AuthorizationCodeStore(
                    redis: parts.redis, life: life, memory: .seconds(3600), system: parts.sessions.system)
                let clock = world.clock
                try await world.a.run { _ in
                    try await codes.issue(code, for: request)
                    try await body(clock, codes)
                }
            }
        }

        /// The code, in the hands of who may go on.
        private static func redeemed(_ codes: AuthorizationCodeStore) async throws -> AuthorizationCodeStore.RedeemedCode? {
            guard case .first(request, let redeemed) = try await codes.redeem(code) else { return nil }
            return redeemed
        }

        private static func isGoodAgain(_ clock: TestClock, _ codes: AuthorizationCodeStore) async throws -> Bool {
            clock.advance(by: AuthorizationCodeStore.exchangeTime + .milliseconds(1))
            return try await redeemed(codes) != nil
        }

        @Test func `a code that an outage has used up is good again, unless it came twice`() async throws {
            try await Self.run { _, codes in
                for _ in 0..<2 {
                    let redeemed = try #require(try await Self.redeemed(codes))
                    #expect(try await codes.note(Self.grant, of: redeemed))
                    await codes.giveBack(redeemed)
                }
                let redeemed = try #require(try await Self.redeemed(codes))
                guard case .again(Self.request, nil) = try await codes.redeem(Self.code) else {
                    Issue.record("it is good twice")
                    return
                }
                await codes.giveBack(redeemed)
                guard case .again = try await codes.redeem(Self.code) else {
                    Issue.record("a copy of it is about, and it is good")
                    return
                }
            }
        }

        @Test func `a code that is given back is good no longer than it would have been`() async throws {
            try await Self.run(life: .milliseconds(200)) { _, codes in
                try await eventually {
                    guard case .first(_, let redeemed) = try await codes.redeem(Self.code) else { return true }
                    await codes.giveBack(redeemed)
                    return false
                }
                guard case .unknown = try await codes.redeem(Self.code) else {
                    Issue.record("it is remembered as used")
                    return
                }
            }
        }

        @Test func `a code whose exchange has led to nothing in its time is good for another, and for that alone`() async throws {
            try await Self.run { clock, codes in
                let first = try #require(try await Self.redeemed(codes))
                #expect(try await Self.isGoodAgain(clock, codes) == true)
                // Whoever is late has nothing of it and takes nothing away.
                await #expect(throws: IdentityError.unavailable(retryAfter: .seconds(1))) {
                    try await codes.note(Self.grant, of: first)
                }
                await codes.giveBack(first)
                await codes.useUp(first)
                clock.advance(by: AuthorizationCodeStore.exchangeTime + .milliseconds(1))
                let third = try #require(try await Self.redeemed(codes))
                #expect(try await codes.note(Self.grant, of: third))
                clock.advance(by: AuthorizationCodeStore.exchangeTime + .milliseconds(1))
                guard case .again(Self.request, Self.grant) = try await codes.redeem(Self.code) else {
                    Issue.record("it has led to tokens, and is good")
                    return
                }
            }
        }

        @Test func `an exchange that takes too long leads to nothing`() async throws {
            try await Self.run { clock, codes in
                let redeemed = try #require(try await Self.redeemed(codes))
                clock.advance(by: AuthorizationCodeStore.exchangeTime)
                #expect(try await codes.note(Self.grant, of: redeemed))
                await codes.giveBack(redeemed)
                let late = try #require(try await Self.redeemed(codes))
                clock.advance(by: AuthorizationCodeStore.exchangeTime + .milliseconds(1))
                await #expect(throws: IdentityError.unavailable(retryAfter: .seconds(1))) {
                    try await codes.note(Self.grant, of: late)
                }
            }
        }

        @Test func `a code that was presented wrongly, twice or to an earlier version stays used up`() async throws {
            try await Self.run { clock, codes in
                await codes.useUp(try #require(try await Self.redeemed(codes)))
                #expect(try await Self.isGoodAgain(clock, codes) == false)
            }
            try await Self.run { clock, codes in
                _ = try await codes.redeem(Self.code)
                _ = try await codes.redeem(Self.code)
                #expect(try await Self.isGoodAgain(clock, codes) == false)
            }
            try await World.run { world in
                let parts = world.a.parts
                let codes = AuthorizationCodeStore(
                    redis: parts.redis, life: .seconds(60), memory: .seconds(3600), system: parts.sessions.system)
                let clock = world.clock
                try await world.a.run { _ in
                    try await codes.issue(Self.code, for: Self.request)
                    _ = try await parts.redis.send(RedisCommand("HSET", Self.code.key, "used", "1"))
                    #expect(try await Self.isGoodAgain(clock, codes) == false)
                }
            }
        }

        @Test func `a code whose exchange was given up is good no longer than it would have been`() async throws {
            try await Self.run(life: .milliseconds(200)) { clock, codes in
                _ = try await codes.redeem(Self.code)
                try await eventually {
                    clock.advance(by: AuthorizationCodeStore.exchangeTime + .milliseconds(1))
                    guard case .unknown = try await codes.redeem(Self.code) else { return false }
                    return true
                }
            }
        }
    }
}
