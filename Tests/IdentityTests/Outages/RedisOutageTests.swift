import Redis
import TestSupport
import Testing
import Text

@testable import Identity

extension WithFailingStores {
    /// Without Redis nothing is guessed: neither that a token is good nor that it is not.
    @Suite struct RedisOutageTests {
        private static let unavailable = IdentityError.unavailable(retryAfter: .seconds(1))

        /// Everything that asks Redis, with what a user has.
        private static func requests(_ member: Member) -> [(name: String, run: @Sendable (IdentityParts) async throws -> Void)] {
            let (access, refresh, id, session) = (member.accessToken, member.refreshToken, member.id, member.sessionID)
            let caller = Copy.caller
            return [
                ("authenticate", { _ = try await $0.tokens.authenticate(access, for: .read) }),
                ("authenticate with garbage", { _ = try await $0.tokens.authenticate(SecretString("x"), for: .read) }),
                ("refresh", { _ = try await $0.sessions.refresh(refresh, RefreshOptions(), caller: caller) }),
                ("revoke an access token", { try await $0.tokens.revoke(access, for: $0.app, caller: caller) }),
                ("revoke a refresh token", { try await $0.tokens.revoke(refresh, for: $0.app, caller: caller) }),
                ("sign out", { try await $0.sessions.signOut(refresh, caller: caller) }),
                ("list", { _ = try await $0.sessions.list(of: id) }),
                ("end", { try await $0.sessions.end(session, of: id, reason: .revoked, caller: caller) }),
                ("end all", { try await $0.sessions.endAll(of: id, reason: .revoked) }),
                ("disable", { try await $0.accounts.disable(id, caller: caller) }),
                (
                    "enable",
                    { parts in
                        try await parts.accounts.enable(id, caller: caller)
                        throw unavailable  // It needs no Redis; here it only undoes the line before.
                    }
                ),
                (
                    "sign in",
                    { parts in
                        let attempt = SignInAttempt(.email(Copy.email), passwords: [SecretString(Copy.password)])
                        let authentication = try await parts.accounts.authenticate(
                            password: attempt, client: parts.app, caller: caller
                        ).completed()
                        _ = try await parts.sessions.begin(authentication, for: parts.app, caller: caller)
                    }
                ),
            ]
        }

        private func expectUnavailable(_ copy: Copy, _ member: Member) async {
            for (name, request) in Self.requests(member) {
                await #expect(throws: Self.unavailable, "\(name)") { try await copy.run { try await request($0) } }
            }
            for token in [member.accessToken, member.refreshToken, SecretString("x")] {
                await #expect(throws: Self.unavailable) { try await copy.isActive(token) }
            }
        }

        @Test func `while Redis is gone every answer is that it is, and it comes back by itself`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                #expect(try await world.a.isActive(member.accessToken))
                world.redis.stop()
                await expectUnavailable(world.a, member)
                let counts = await world.a.run { $0.metrics.snapshot }
                #expect(counts.introspections == [.active: 1, .inactive: 0, .unavailable: 3])
                #expect(counts.refreshes == [.unavailable: 1])
                #expect(counts.signIns == [.unavailable: 1])
                try world.redis.start()
                try await eventually { await world.a.parts.redis.isReady }
                // This server has forgotten everything, so now it is known that the token is not good.
                #expect(try await world.a.active([member.accessToken, member.refreshToken]) == [false, false])
                let again = try await world.a.signIn()
                #expect(try await world.a.isActive(again.accessToken))
            }
        }

        @Test func `while Redis hangs every answer is that it does, and nothing is lost`() async throws {
            try await World.run({
                $0.patience = .seconds(10)
                $0.scriptClock = .redis
                $0.statementClock = .postgres
            }) { world in
                world.clock.advance(by: Timestamp.now().duration(since: world.clock.now))
                let a = world.a
                let member = try await a.signUp()
                let other = try await a.signUp("berta@town.example")
                world.redis.pause()
                // All at once: each waits for so long.
                await withTaskGroup(of: Void.self) { group in
                    for token in [member.accessToken, member.refreshToken] {
                        group.addTask { await #expect(throws: Self.unavailable) { try await a.isActive(token) } }
                    }
                    group.addTask { await #expect(throws: Self.unavailable) { try await a.refresh(member.refreshToken) } }
                    group.addTask { await #expect(throws: Self.unavailable) { try await a.signIn() } }
                }
                world.redis.resume()
                try await eventually { await world.a.parts.redis.isReady }
                #expect(try await world.a.active([member.accessToken, other.accessToken]) == [true, true])
                let next = try await world.a.refresh(member.refreshToken)
                #expect(
                    try await world.a.refresh(member.refreshToken).refreshToken.revealedText == next.refreshToken.revealedText)
                #expect(try await world.a.run { try await $0.sessions.list(of: member.id) }.map(\.id) == [member.sessionID])
            }
        }

        /// A server that comes back as it was shortly before is what a failover to a replica that lags leads to.
        @Test func `what was ended just before a failover of Redis stays ended`() async throws {
            try await World.run({ $0.repeatsEnds = true }) { world in
                let (a, redis) = (world.a, world.redis)
                let disabled = try await a.signUp()
                let signedOut = try await a.signUp("berta@town.example")
                let other = try await a.signUp("carla@town.example")
                let revoked = try await a.signIn("carla@town.example")
                _ = try await a.run { try await $0.redis.send(RedisCommand("SAVE")) }
                try await a.run { parts in
                    try await parts.accounts.disable(disabled.id, caller: Copy.caller)
                    try await parts.sessions.signOut(signedOut.refreshToken, caller: Copy.caller)
                    try await parts.tokens.revoke(revoked.accessToken, for: parts.app, caller: Copy.caller)
                }
                redis.stop()
                try redis.start()
                try await eventually { await a.parts.redis.isReady }
                let tokens = [disabled.accessToken, signedOut.accessToken, revoked.accessToken, other.accessToken]
                #expect(try await a.active(tokens) == [false, false, false, true])
                for member in [disabled, signedOut] {
                    await #expect(throws: IdentityError.invalidRefreshToken) { try await a.refresh(member.refreshToken) }
                }
                _ = try await a.refresh(other.refreshToken)
            }
        }

        @Test func `a restart of Redis between two uses of a refresh token hides neither`() async throws {
            try await World.run { world in
                let (a, redis) = (world.a, world.redis)
                let member = try await a.signUp()
                var latest = member.refreshToken
                for _ in 0..<2 { latest = try await a.refresh(latest, wantsRotation: true).refreshToken }
                let other = try await a.signIn()
                _ = try await a.run { try await $0.redis.send(RedisCommand("SAVE")) }
                redis.stop()
                try redis.start()
                try await eventually { await a.parts.redis.isReady }
                await #expect(throws: IdentityError.invalidRefreshToken) { try await a.refresh(member.refreshToken) }
                await #expect(throws: IdentityError.invalidRefreshToken) { try await a.refresh(latest) }
                #expect(try await a.active([member.accessToken, other.accessToken]) == [false, true])
                _ = try await a.refresh(other.refreshToken)
            }
        }

        @Test func `a Redis that has forgotten the scripts is taught them again`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                _ = try await world.a.run { try await $0.redis.send(RedisCommand("SCRIPT", "FLUSH")) }
                let next = try await world.a.refresh(member.refreshToken)
                _ = try await world.a.run { try await $0.redis.send(RedisCommand("SCRIPT", "FLUSH")) }
                try await world.a.run { try await $0.sessions.endAll(of: member.id, reason: .revoked) }
                #expect(try await !world.a.isActive(next.accessToken))
            }
        }

        @Test func `a full Redis is an outage, not a refusal`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                func setMemory(_ limit: String) async throws {
                    _ = try await world.a.run { try await $0.redis.send(RedisCommand("CONFIG", "SET", "maxmemory", limit)) }
                }
                try await setMemory("1mb")
                await #expect(throws: Self.unavailable) { try await world.a.signIn() }
                await #expect(throws: Self.unavailable) { try await world.a.refresh(member.refreshToken) }
                #expect(try await world.a.isActive(member.accessToken))
                try await setMemory("0")
                _ = try await world.a.refresh(member.refreshToken)
            }
        }

        @Test func `a full Redis ends what is to end`() async throws {
            try await World.run { world in
                let a = world.a
                let disabled = try await a.signUp()
                let signedOut = try await a.signUp("berta@town.example")
                let other = try await a.signUp("carla@town.example")
                let revoked = try await a.signIn("carla@town.example")
                let robot = Client(
                    id: World.clientID("robot"), name: "Robot", authentication: .publicClient, permissions: [],
                    audiences: [World.audience])
                let machine = try await a.run { try await $0.clientTokens.issue(to: robot).accessToken }
                _ = try await a.run { try await $0.redis.send(RedisCommand("CONFIG", "SET", "maxmemory", "1mb")) }
                await #expect(throws: Self.unavailable) { try await a.signIn() }
                try await a.run { parts in
                    try await parts.accounts.disable(disabled.id, caller: Copy.caller)
                    try await parts.sessions.signOut(signedOut.refreshToken, caller: Copy.caller)
                    try await parts.tokens.revoke(revoked.accessToken, for: parts.app, caller: Copy.caller)
                    try await parts.clientTokens.endAll(of: robot.id)
                }
                let tokens = [disabled.accessToken, signedOut.accessToken, revoked.accessToken, machine, other.accessToken]
                #expect(try await a.active(tokens) == [false, false, false, false, true])
                _ = try await a.run { try await $0.redis.send(RedisCommand("CONFIG", "SET", "maxmemory", "0")) }
                for member in [disabled, signedOut] {
                    await #expect(throws: IdentityError.invalidRefreshToken) { try await a.refresh(member.refreshToken) }
                }
                #expect(try await a.keyspace().items.allSatisfy { $0.life > 0 })
            }
        }

        @Test func `a damaged record is a fault, and no reason to call a token good or bad`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let key = SessionRecord.key(member.sessionID)
                _ = try await world.a.run { try await $0.redis.send(RedisCommand("SET", key, "x", "KEEPTTL")) }
                await #expect(throws: IdentityError.internalFault) { try await world.a.refresh(member.refreshToken) }
                await #expect(throws: IdentityError.internalFault) { try await world.a.isActive(member.refreshToken) }
                // But it can be ended.
                try await world.a.run { try await $0.sessions.endAll(of: member.id, reason: .revoked) }
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(member.refreshToken) }
            }
        }
    }
}
