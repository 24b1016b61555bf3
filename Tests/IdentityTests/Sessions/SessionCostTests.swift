import Redis
import Testing
import Text

@testable import Identity

extension WithStores {
    /// What a session costs Redis.
    @Suite struct SessionCostTests {
        /// How often Redis has carried out which command since the last time, by its own count; its own look apart.
        private func commands(_ redis: RedisConnection) async throws -> [String: Int] {
            let text = try await redis.send(RedisCommand("INFO", "commandstats")).text ?? ""
            _ = try await redis.send(RedisCommand("CONFIG", "RESETSTAT"))
            var counts: [String: Int] = [:]
            for line in text.split(separator: "\r\n") where line.hasPrefix("cmdstat_") {
                let name = line.dropFirst("cmdstat_".count).prefix { $0 != ":" }
                let calls = line.split(separator: "calls=").dropFirst().first?.prefix { $0 != "," } ?? ""
                counts[String(name)] = Int(calls)
            }
            // A life is put off only where it would be shorter, which is a matter of milliseconds.
            for name in ["info", "config|resetstat", "ping", "pexpire"] { counts[name] = nil }
            return counts
        }

        /// What one refresh of a session with so many live access tokens asks of Redis.
        private func refresh(of member: Member, on copy: Copy) async throws -> [String: Int] {
            _ = try await copy.run { try await commands($0.redis) }
            _ = try await copy.refresh(member.refreshToken)
            return try await copy.run { try await commands($0.redis) }
        }

        @Test func `a refresh asks as much of Redis with 20 live access tokens as with 200, and hardly more than with one`()
            async throws
        {
            try await World.run { world in
                let member = try await world.a.signUp(kind: .static)
                // The scripts are known from here on.
                for _ in 0..<8 { _ = try await world.a.refresh(member.refreshToken) }
                let other = try await world.a.signUp("b@town.example", kind: .static)
                let one = try await refresh(of: other, on: world.a)
                for _ in 0..<12 { _ = try await world.a.refresh(member.refreshToken) }
                let twenty = try await refresh(of: member, on: world.a)
                for _ in 0..<180 { _ = try await world.a.refresh(member.refreshToken) }
                #expect(try await world.a.liveTokens(of: member.id).count >= 200)
                let many = try await refresh(of: member, on: world.a)
                #expect(many == twenty)
                #expect(many["evalsha"] == one["evalsha"] && many["get"] == one["get"] && many["set"] == one["set"])
                #expect(many.values.reduce(0, +) <= one.values.reduce(0, +) + 5)
                // Nothing of what is read or written grows.
                let record = try await world.a.run { try await $0.sessions.store.bytes(of: member.sessionID) }
                #expect((record?.count ?? .max) < 400)
            }
        }

        /// What `body` asks of Redis.
        private func asked(by copy: Copy, _ body: () async throws -> Void) async throws -> [String: Int] {
            _ = try await copy.run { try await commands($0.redis) }
            try await body()
            return try await copy.run { try await commands($0.redis) }
        }

        @Test func `a sign-in and a sign-out ask as much of Redis with 1 session of the user as with 100`() async throws {
            try await World.run({ $0.sessionsPerUser = 200 }) { world in
                let copy = world.a
                func signOut(_ member: Member) async throws {
                    try await copy.run { try await $0.sessions.signOut(member.refreshToken, caller: Copy.caller) }
                }
                _ = try await copy.signUp()
                // The scripts are known from here on.
                try await signOut(try await copy.signIn())
                var members: [Member] = []
                let few = try await asked(by: copy) { members.append(try await copy.signIn()) }
                let fewEnd = try await asked(by: copy) { try await signOut(members.removeLast()) }
                for _ in 0..<100 { members.append(try await copy.signIn()) }
                let many = try await asked(by: copy) { members.append(try await copy.signIn()) }
                let manyEnd = try await asked(by: copy) { try await signOut(members.removeLast()) }
                #expect(many == few && manyEnd == fewEnd)
                // Its budgets before and after the hash, and the session.
                #expect((few["evalsha"] ?? 0) <= 3)
                // The end, behind the look at the record and at those of its tokens.
                #expect(fewEnd["evalsha"] == 1)
            }
        }

        @Test func `a session with its access token takes at most so many bytes of Redis`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp("somebody-or-other@example.com")
                let keys = [
                    SessionRecord.key(member.sessionID), AccessTokenHash(of: member.accessToken.revealedText).key,
                    SessionIndex.key(member.id),
                ]
                var sizes: [Int64] = []
                for key in keys {
                    sizes.append(
                        try await world.a.run { try await $0.redis.send(RedisCommand("MEMORY", "USAGE", key)).integerValue }
                            ?? .max)
                }
                #expect(sizes.reduce(0, +) <= 700, "\(sizes)")
                #expect(try await world.a.keyspace().items.count == 3)
            }
        }
    }
}
