import Postgres
import Redis
import Testing
import Text

@testable import Identity

extension WithStores {
    /// PostgreSQL goes back in time, and Redis does not.
    @Suite struct OrphanTests {
        private static let delete = Statement(
            name: "test_forget_users", sql: "DELETE FROM users WHERE email_normalized LIKE 'gone%'")
        private static let disable = Statement(
            name: "test_disable_users", sql: "UPDATE users SET disabled_at = now() WHERE email_normalized LIKE 'barred%'")

        private func orphans(_ world: World, ending: Bool = false) async throws -> [Administration.Orphan] {
            try await world.a.run { parts async throws in
                var all: [UserID: Administration.Orphan] = [:]
                var cursor: SessionScanCursor?
                repeat {
                    let (orphans, next) = try await parts.administration.orphans(from: cursor)
                    for orphan in orphans {
                        all[orphan.userID] = orphan
                        if ending { try await parts.administration.endSessions(of: orphan) }
                    }
                    cursor = next
                } while cursor != nil
                return Array(all.values)
            }
        }

        @Test func `sessions of users who are gone or barred are found and ended, others stay`() async throws {
            try await World.run { world in
                var members: [String: [Member]] = [:]
                for kind in ["gone", "barred", "there"] {
                    for number in 0..<3 {
                        members[kind, default: []].append(try await world.a.signUp("\(kind)\(number)@town.example"))
                    }
                }
                let second = try await world.a.signIn("gone0@town.example")
                #expect(try await orphans(world).isEmpty)
                for statement in [Self.delete, Self.disable] {
                    _ = try await world.a.run { try await $0.postgres.query(statement) }
                }
                // Until then nothing stops them.
                _ = try await world.a.refresh(second.refreshToken)

                let found = try await orphans(world)
                #expect(
                    Set(found.map(\.userID)) == Set((members["gone", default: []] + members["barred", default: []]).map(\.id)))
                for orphan in found {
                    #expect((orphan.reason == .userDeleted) == members["gone", default: []].contains { $0.id == orphan.userID })
                    #expect(orphan.sessionCount == (orphan.userID == second.id ? 2 : 1))
                }
                #expect(try await orphans(world, ending: true).count == 6)
                #expect(try await orphans(world).isEmpty)

                for member in members["gone", default: []] + members["barred", default: []] {
                    #expect(try await world.a.active([member.accessToken, member.refreshToken]) == [false, false])
                }
                #expect(try await !world.a.isActive(second.refreshToken))
                // A client is told that its user is gone, whenever it comes back.
                await #expect(throws: IdentityError.userNotFound) {
                    try await world.a.refresh(members["gone"]?[1].refreshToken ?? SecretString(""))
                }
                for member in members["there", default: []] {
                    #expect(try await world.a.active([member.accessToken, member.refreshToken]) == [true, true])
                }
                let events = try await world.a.events("all_sessions_ended", count: 6)
                #expect(events.count == 6)
                #expect(events.allSatisfy { $0.actor == "administrator" })
            }
        }

        @Test func `many users take several batches, and none is missed`() async throws {
            try await World.run { world in
                let gone = try await world.a.signUp("gone@town.example")
                // Other keys and other indexes in the way.
                try await world.a.run { parts async throws in
                    for number in 0..<5000 {
                        _ = try await parts.redis.send(RedisCommand("SET", "at:\(number)", "x", "PX", "600000"))
                    }
                    for number in 0..<1500 {
                        let id = UserID(
                            at: Sample.now, random: [UInt8(number >> 8), UInt8(number & 255)] + [UInt8](repeating: 0, count: 8))
                        var command = RedisCommand("ZADD", SessionIndex.key(id), "1")
                        command.append(SessionID(random: Array(0..<16)).bytes)
                        let sent = command
                        _ = try await parts.redis.send(sent)
                    }
                }
                _ = try await world.a.run { try await $0.postgres.query(Self.delete) }
                let found = try await orphans(world)
                #expect(found.count == 1501)
                #expect(found.contains { $0.userID == gone.id })
            }
        }

        @Test func `sessions that no index names are found all the same`() async throws {
            try await World.run { world in
                let gone = try await world.a.signUp("gone@town.example")
                let barred = try await world.a.signUp("barred@town.example")
                let there = try await world.a.signUp("there@town.example")
                _ = try await world.a.run { parts async throws in
                    // As Redis evicts them.
                    for member in [gone, barred, there] {
                        _ = try await parts.redis.send(RedisCommand("DEL", SessionIndex.key(member.id)))
                    }
                    for statement in [Self.delete, Self.disable] { _ = try await parts.postgres.query(statement) }
                }
                let found = try await orphans(world)
                #expect(Set(found.map(\.userID)) == [gone.id, barred.id])
                #expect(found.allSatisfy { $0.sessionCount == 1 && $0.unlisted.count == 1 })
                _ = try await orphans(world, ending: true)
                #expect(try await orphans(world).isEmpty)
                let tokens = [gone.accessToken, barred.accessToken, there.accessToken]
                #expect(try await world.a.active(tokens) == [false, false, true])
                _ = try await world.a.refresh(there.refreshToken)
            }
        }

        @Test func `an operator who ends a user's sessions also ends those that no index names`() async throws {
            try await World.run { world in
                let listed = try await world.a.signUp()
                let other = try await world.a.signUp("berta@town.example")
                _ = try await world.a.run { try await $0.redis.send(RedisCommand("DEL", SessionIndex.key(listed.id))) }
                let second = try await world.a.signIn()
                try await world.a.run { try await $0.accounts.signOut(listed.id, caller: Copy.caller) }
                // What the index does not name goes on, which is why the operator's commands look further.
                _ = try await world.a.refresh(listed.refreshToken)
                let count = try await world.a.run { parts async throws in
                    var count = 0
                    var cursor: SessionScanCursor?
                    repeat {
                        let (found, next) = try await parts.administration.endUnlistedSessions(
                            of: listed.id, reason: .revoked, from: cursor)
                        count += found
                        cursor = next
                    } while cursor != nil
                    return count
                }
                #expect(count == 1)
                for member in [listed, second] {
                    #expect(try await !world.a.isActive(member.accessToken))
                    await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(member.refreshToken) }
                }
                _ = try await world.a.refresh(other.refreshToken)
            }
        }
    }
}
