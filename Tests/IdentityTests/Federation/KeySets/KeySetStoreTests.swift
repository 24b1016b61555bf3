import JOSE
import Networking
import Postgres
import TestSupport
import Testing

@testable import Identity

extension WithStores {
    /// The last good key set, in PostgreSQL.
    @Suite struct KeySetStoreTests {
        /// A provider whose keys were fetched, and whose server is away since.
        private static func run(
            _ change: (inout KeySetPolicy) -> Void = { _ in }, _ body: (World, KeySetWorld, KeySetStore) async throws -> Void
        ) async throws {
            try await World.run { world in
                let copy = world.a
                let provider = try KeySetWorld(
                    .response(status: 200, body: try TestKeys.set("a")), on: copy.loop, change)
                var policy = KeySetPolicy()
                change(&policy)
                let store = KeySetStore(pool: copy.parts.postgres, policy: policy)
                await provider.start(store)
                try await eventually { await store.keys(of: KeySetWorld.provider, from: provider.server.url("/keys")) != nil }
                await provider.keeper.close()
                provider.serve(.response(status: 503))
                try await body(world, provider, store)
            }
        }

        private static func age(_ world: World, by seconds: Int) async throws {
            let statement = Statement(
                name: "test_key_sets_age",
                sql: "UPDATE provider_key_sets SET fetched_at = fetched_at - $1::bigint * interval '1 second'")
            _ = try await world.a.parts.postgres.query(statement, [.integer(seconds)])
        }

        private static func found(_ keyID: String, _ keys: KeySets) async -> KeySetWorld.Found {
            switch await keys.key(keyID, of: KeySetWorld.provider) {
            case .key(let key): .key(key.keyID ?? "")
            case .unknownKey: .unknown
            case .unavailable: .unavailable
            }
        }

        @Test func `a process that starts while the key server is away has the keys of the one before it`() async throws {
            try await Self.run { world, provider, store in
                let (keeper, keys) = try await provider.successor(on: world.a.loop, store)
                try await eventually { await Self.found("a", keys) == .key("a") }
                // Of others nobody can say anything yet.
                #expect(await Self.found("b", keys) == .unavailable)
                #expect(try #require(await keeper.reports.first).keyCount == 1)
                provider.serve(try TestKeys.set("b"))
                try await eventually { await Self.found("b", keys) == .key("b") }
                try await eventually { await Self.found("a", keys) == .unknown }
                await keeper.close()
            }
        }

        @Test func `keys that are too old, or come from elsewhere, are not taken`() async throws {
            try await Self.run { world, provider, store in
                let (other, elsewhere) = try await provider.successor(of: "/elsewhere", on: world.a.loop, store)
                #expect(await Self.found("a", elsewhere) == .unavailable)
                await other.close()
                try await Self.age(world, by: 86_401)
                let (keeper, keys) = try await provider.successor(on: world.a.loop, store)
                #expect(await Self.found("a", keys) == .unavailable)
                await keeper.close()
            }
        }

        @Test func `by configuration none are remembered`() async throws {
            try await Self.run({ $0.rememberedLifetime = .zero }) { world, provider, store in
                let (keeper, keys) = try await provider.successor(on: world.a.loop, store)
                #expect(await Self.found("a", keys) == .unavailable)
                await keeper.close()
            }
        }
    }
}
