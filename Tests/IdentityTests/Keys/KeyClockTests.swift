import Crypto
import Postgres
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Signing keys at two copies whose clocks differ: PostgreSQL's decides when a key has been published for long enough.
    @Suite struct KeyClockTests {
        private static let rotation = KeyRotation(longestTokenLife: .seconds(900))

        private func advance(_ copy: Copy) async throws -> [KeyRotation.Step] {
            try await copy.run { try await $0.signingKeys.advance(Self.rotation) }
        }

        @Test(arguments: [Duration.seconds(7200), .seconds(-7200)])
        func `a key signs an hour after it was published, whoever has made it and whoever looks`(ahead: Duration) async throws {
            try await World.runApart(by: ahead) { world in
                for maker in world.copies {
                    guard case .begun(let new) = try await maker.run({ try await $0.signingKeys.rotate(.es256) }) else {
                        Issue.record("not begun")
                        return
                    }
                    let age = Timestamp.now().duration(since: new.createdAt)
                    #expect(age > .seconds(-60) && age < .seconds(600))
                    for copy in world.copies {
                        #expect(try await advance(copy) == [])
                        #expect(try await copy.run { try await $0.signingKeys.rotate(.es256) } == .underWay(new))
                    }
                    _ = try await world.a.run { parts in try await parts.postgres.query(Self.published) }
                    // Who is behind does it too.
                    #expect(try await advance(world.b).map(\.key.kid) == [new.kid])
                    #expect(try await advance(world.a) == [])
                }
            }
        }

        @Test func `who is days ahead takes no key out of the key set whose tokens live`() async throws {
            try await World.runApart(by: .seconds(3 * 86_400)) { world in
                guard case .begun = try await world.a.run({ try await $0.signingKeys.rotate(.es256) }) else { return }
                _ = try await world.a.run { parts in try await parts.postgres.query(Self.published) }
                #expect(try await advance(world.b).count == 1)
                #expect(try await advance(world.b) == [])
                _ = try await world.a.run { parts in try await parts.postgres.query(Self.forgotten) }
                #expect(try await advance(world.a).count == 1)
            }
        }

        private static let published = Statement(
            name: "test_key_published",
            sql: "UPDATE signing_keys SET created_at = created_at - interval '1 hour' WHERE state = 'next'")
        private static let forgotten = Statement(
            name: "test_key_forgotten",
            sql: "UPDATE signing_keys SET retired_at = retired_at - interval '1 day 15 minutes' WHERE state = 'retired'")
    }
}
