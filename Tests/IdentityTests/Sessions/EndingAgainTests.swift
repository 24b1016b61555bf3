import Postgres
import Redis
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// A Redis that has lost the end of sessions, as a failover to a replica that lags can leave it.
    @Suite struct EndingAgainTests {
        /// All that is in Redis, to be brought back.
        private struct Backup: Sendable {
            let entries: [(key: String, dump: [UInt8], life: Int64)]

            init(_ redis: RedisConnection) async throws {
                var entries: [(String, [UInt8], Int64)] = []
                for item in try await Keyspace(redis).items {
                    guard case .bytes(let dump)? = try? await redis.send(RedisCommand("DUMP", item.key)) else { continue }
                    entries.append((item.key, dump, max(1, item.life)))
                }
                self.entries = entries
            }

            func restore(_ redis: RedisConnection) async throws {
                for (key, dump, life) in entries {
                    var command = RedisCommand("RESTORE", key)
                    command.append(life)
                    command.append(dump)
                    command.append("REPLACE")
                    _ = try await redis.send(command)
                }
            }
        }

        private func backup(_ world: World) async throws -> Backup {
            try await world.a.run { try await Backup($0.redis) }
        }

        private func restore(_ backup: Backup, _ world: World) async throws {
            try await world.a.run { try await backup.restore($0.redis) }
        }

        private func runner(_ world: World) -> JobRunner {
            world.a.runner([SessionEndingHandler(sessions: world.a.parts.sessions, logger: world.logger)])
        }

        @Test func `a session that Redis has brought back ends again, and one that began later lives on`() async throws {
            try await World.run { world in
                let first = try await world.a.signUp()
                let second = try await world.a.signIn()
                let backup = try await backup(world)
                try await world.a.run { try await $0.administration.signOut(first.id) }
                let later = try await world.a.signIn()
                try await restore(backup, world)
                #expect(try await world.a.active([first.accessToken, second.accessToken]) == [true, true])
                let runner = runner(world)
                world.clock.advance(by: SessionEnding.passes[0])
                await runner.work()
                let tokens = [first.accessToken, second.accessToken, later.accessToken]
                #expect(try await world.a.active(tokens) == [false, false, true])
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(first.refreshToken) }
                _ = try await world.a.refresh(later.refreshToken)
                #expect(world.logged.contains("a session lives that had ended"))
            }
        }

        @Test func `the end is repeated for as long as a replica may lag, and then it is over`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let backup = try await backup(world)
                try await world.a.run { try await $0.administration.disable(member.id) }
                let runner = runner(world)
                for pass in SessionEnding.passes {
                    #expect(await world.a.jobCount(.sessionEnding).waiting == (pass == SessionEnding.passes[0] ? 0 : 1))
                    try await restore(backup, world)
                    #expect(try await world.a.isActive(member.accessToken))
                    world.clock.advance(by: pass)
                    await runner.work()
                    #expect(try await !world.a.isActive(member.accessToken), "after \(pass)")
                }
                #expect(await world.a.jobCount(.sessionEnding).waiting == 0)
                #expect(await world.a.jobOutcomes(.sessionEnding) == [.done: 1])
            }
        }

        @Test func `the session that a user keeps is left alone`() async throws {
            try await World.run { world in
                let kept = try await world.a.signUp()
                let other = try await world.a.signIn()
                try await world.a.parts.accounts.changePassword(
                    of: kept.id, in: kept.sessionID, from: SecretString(Copy.password), to: SecretString("staple battery horse"),
                    caller: Copy.caller)
                world.clock.advance(by: SessionEnding.passes[0])
                await runner(world).work()
                #expect(try await world.a.active([kept.accessToken, other.accessToken]) == [true, false])
            }
        }

        @Test func `it outlives its user, and waits for Redis`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let backup = try await backup(world)
                try await world.a.parts.accounts.delete(member.id, caller: Copy.caller)
                try await restore(backup, world)
                world.clock.advance(by: SessionEnding.passes[0])
                await runner(world).work()
                #expect(try await !world.a.isActive(member.accessToken))
            }
        }

        @Test func `a change that fails enters nothing`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                await #expect(throws: IdentityError.emailTaken) {
                    try await world.a.parts.accounts.changes.change(member.id, ending: .all(.revoked)) {
                        _ throws(IdentityError) -> Void in throw .emailTaken
                    }
                }
                let time = world.a.system.statementTime
                #expect(try await world.a.run { try await $0.jobs.waiting(9, of: .sessionEnding, at: time) }.isEmpty)
            }
        }
    }
}
