import Redis
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Refreshes whose repetition gives the very same pair of tokens.
    @Suite struct RepeatedRefreshTests {
        private static let options = RefreshOptions(rotation: true, sameAccessToken: true, leeway: .seconds(60))

        private func refresh(
            _ token: SecretString, _ options: RefreshOptions = options, on copy: Copy
        ) async throws -> SessionTokens {
            try await copy.run { try await $0.sessions.refresh(token, options, caller: Copy.caller) }
        }

        @Test func `a repetition within the grace gives the same pair with the same expiry`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let member = try await world.a.signUp()
                let first = try await refresh(member.refreshToken, on: world.a)
                world.clock.advance(by: .seconds(59))
                let again = try await refresh(member.refreshToken, on: world.b)
                #expect(again.refreshToken.revealedText == first.refreshToken.revealedText)
                #expect(again.accessToken.revealedText == first.accessToken.revealedText)
                #expect(again.accessTokenExpiresAt == first.accessTokenExpiresAt)
                #expect(try await world.a.isActive(again.accessToken))
                #expect(try await world.a.liveTokens(of: member.id).count == 2)
                world.clock.advance(by: .seconds(1))
                let late = try await refresh(member.refreshToken, on: world.a)
                #expect(late.refreshToken.revealedText != first.refreshToken.revealedText)
                #expect(try await !world.a.isActive(first.accessToken))
            }
        }

        @Test func `fifty at once get one distinct pair`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let member = try await world.a.signUp()
                let pairs = try await withThrowingTaskGroup(of: String.self) { group in
                    for number in 0..<50 {
                        let copy = world.copies[number % 2]
                        group.addTask {
                            let tokens = try await self.refresh(member.refreshToken, on: copy)
                            return "\(tokens.refreshToken.revealedText) \(tokens.accessToken.revealedText)"
                        }
                    }
                    return try await group.reduce(into: Set<String>()) { $0.insert($1) }
                }
                #expect(pairs.count == 1)
                #expect(try await world.a.liveTokens(of: member.id).count == 2)
            }
        }

        @Test func `once the successor has been used the session does not survive the parent`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let first = try await refresh(member.refreshToken, on: world.a)
                let second = try await refresh(first.refreshToken, on: world.a)
                await #expect(throws: IdentityError.invalidRefreshToken) {
                    try await refresh(member.refreshToken, on: world.a)
                }
                #expect(try await world.a.active([first.accessToken, second.accessToken]) == [false, false])
            }
        }

        @Test func `an access token that has been revoked is not given again`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let first = try await refresh(member.refreshToken, on: world.a)
                try await world.a.run { try await $0.tokens.revoke(first.accessToken, for: $0.app, caller: Copy.caller) }
                let again = try await refresh(member.refreshToken, on: world.a)
                #expect(again.refreshToken.revealedText == first.refreshToken.revealedText)
                #expect(again.accessToken.revealedText != first.accessToken.revealedText)
                #expect(try await world.a.isActive(again.accessToken))
            }
        }

        @Test func `where the kept token is lost, a new one is given`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let first = try await refresh(member.refreshToken, on: world.a)
                for item in try await world.a.keyspace().items where item.key.hasPrefix("successor:") {
                    _ = try await world.a.run { try await $0.redis.send(RedisCommand("DEL", item.key)) }
                }
                let again = try await refresh(member.refreshToken, on: world.a)
                #expect(again.refreshToken.revealedText == first.refreshToken.revealedText)
                #expect(try await world.a.active([first.accessToken, again.accessToken]) == [true, true])
            }
        }

        @Test func `who does not ask for it gets a new access token, and so does who comes after him`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let first = try await refresh(member.refreshToken, RefreshOptions(rotation: true), on: world.a)
                let second = try await refresh(member.refreshToken, on: world.a)
                #expect(second.accessToken.revealedText != first.accessToken.revealedText)
                #expect(try await world.a.keyspace().items.allSatisfy { $0.life > 0 })
            }
        }

        @Test func `nothing in Redis reveals the kept token, and it goes with the grace`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let first = try await refresh(member.refreshToken, on: world.a)
                let items = try await world.a.keyspace().items
                #expect(items.count { $0.key.hasPrefix("successor:") } == 1)
                #expect(items.allSatisfy { !$0.text.contains(first.accessToken.revealedText) })
                #expect(items.filter { $0.key.hasPrefix("successor:") }.allSatisfy { (1...60_000).contains($0.life) })
            }
        }

        @Test func `leeway makes the access token live longer, never beyond its session`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let first = try await refresh(member.refreshToken, on: world.a)
                #expect(first.accessTokenExpiresAt == world.clock.now.adding(.seconds(960)))
                let plain = try await world.a.refresh(first.refreshToken)
                #expect(plain.accessTokenExpiresAt == world.clock.now.adding(.seconds(900)))
            }
        }

        @Test func `an access token that has expired still signs out, for a day`() async throws {
            try await World.run { world in
                func signOut(_ token: SecretString) async throws {
                    try await world.a.run {
                        try await $0.tokens.signOut(token, lateness: .seconds(86_400), caller: Copy.caller)
                    }
                }
                let member = try await world.a.signUp()
                let other = try await world.a.signIn()
                let third = try await world.a.signIn()
                try await world.a.run { try await $0.tokens.revoke(third.accessToken, for: $0.app, caller: Copy.caller) }
                await #expect(throws: IdentityError.invalidToken) { try await signOut(third.accessToken) }
                await #expect(throws: IdentityError.invalidToken) { try await signOut(member.refreshToken) }
                try await world.pass(.seconds(900 + 86_399))
                try await signOut(member.accessToken)
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(member.refreshToken) }
                await #expect(throws: IdentityError.invalidToken) { try await signOut(member.accessToken) }
                try await world.pass(.seconds(2))
                await #expect(throws: IdentityError.invalidToken) { try await signOut(other.accessToken) }
                _ = try await world.a.refresh(other.refreshToken)
            }
        }
    }
}
