import Testing
import Text

@testable import Identity

extension WithStores {
    /// Tokens of the old project, each of which is good for one session.
    @Suite struct MigratedTokensTests {
        private static let life = Duration.seconds(600)
        private static let sessions = [1, 2].map { SessionID(random: Array(repeating: $0, count: SessionID.byteCount)) }

        /// Uses the token; nil for who comes again.
        private func use(_ world: World, on device: String? = "device") async throws -> MigratedTokens.Mark? {
            let now = world.clock.now
            return try await world.a.run { parts in
                let outcome = try await MigratedTokens(redis: parts.redis, clock: .callers).use(
                    ProviderProof.google().token(), on: device, life: Self.life, at: now)
                guard case .first(let mark) = outcome else { return nil }
                return mark
            }
        }

        private func note(_ session: SessionID, of mark: MigratedTokens.Mark, _ world: World) async throws -> Bool {
            let now = world.clock.now
            return try await world.a.run { parts in
                try await MigratedTokens(redis: parts.redis, clock: .callers).note(
                    session, of: mark, ProviderProof.google().token(), at: now)
            }
        }

        @Test func `a use that has led to nothing in three seconds leads to nothing, and another may`() async throws {
            try await World.run { world in
                let first = try #require(try await use(world))
                world.clock.advance(by: .seconds(3))
                #expect(try await use(world) == nil)
                world.clock.advance(by: .milliseconds(1))
                let second = try #require(try await use(world, on: "another"))
                #expect(try await !note(Self.sessions[0], of: first, world))
                #expect(try await note(Self.sessions[1], of: second, world))
                #expect(try await use(world, on: "another") == nil)
                world.clock.advance(by: .seconds(60))
                #expect(try await use(world, on: "another") == nil)
                let lives = try await world.a.keyspace().items.filter { $0.key.hasPrefix("it:") }.map(\.life)
                #expect(lives.count == 1 && lives.allSatisfy { (1...600_000).contains($0) })
            }
        }

        @Test func `a session that comes too late is not noted, though nobody else has used the token`() async throws {
            try await World.run { world in
                let mark = try #require(try await use(world))
                world.clock.advance(by: .milliseconds(3001))
                #expect(try await !note(Self.sessions[0], of: mark, world))
                #expect(try await use(world) != nil)
            }
        }

        @Test func `only the use that counts gives a token back`() async throws {
            try await World.run { world in
                func giveBack(_ mark: MigratedTokens.Mark) async throws {
                    try await world.a.run { parts in
                        await MigratedTokens(redis: parts.redis, clock: .callers).giveBack(
                            try ProviderProof.google().token(), mark)
                    }
                }
                let first = try #require(try await use(world))
                world.clock.advance(by: .milliseconds(3001))
                let second = try #require(try await use(world))
                try await giveBack(first)
                #expect(try await use(world) == nil)
                try await giveBack(second)
                #expect(try await use(world) != nil)
            }
        }
    }
}
