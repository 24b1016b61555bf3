import Crypto
import JOSE
import Networking
import Postgres
import Testing
import Text

@testable import Identity

extension WithStores {
    @Suite struct SigningKeyStoreTests {
        private static let remove = Statement(name: "test_remove_keys", sql: "DELETE FROM signing_keys")
        private static let stored = Statement(
            name: "test_keys", sql: "SELECT kid, alg, state, public_jwk::text FROM signing_keys")
        private static let swap = Statement(
            name: "test_swap_keys",
            sql: """
                UPDATE signing_keys AS one SET sealed_private_key = other.sealed_private_key
                FROM signing_keys AS other WHERE one.alg = 'ES256' AND other.alg = 'RS256'
                """)

        private func load(_ algorithms: Set<SignatureAlgorithm>, on copy: Copy) async throws -> KeyRing {
            try await copy.run { try await $0.signingKeys.load(ensuring: algorithms) }
        }

        private func removeKeys(_ copy: Copy) async throws {
            _ = try await copy.run { try await $0.postgres.query(Self.remove) }
        }

        @Test func `copies that start at once agree on one key`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let (a, b) = (world.a, world.b)
                for _ in 1...20 {
                    try await removeKeys(a)
                    async let first = load([.es256], on: a)
                    async let second = load([.es256], on: b)
                    async let third = load([.es256], on: b)
                    let rings = try await [first, second, third]
                    #expect(Set(rings.map { $0.signer(for: .es256)?.keyID }).count == 1)
                    #expect(Set(rings.map(\.rendered)).count == 1)
                    let count = try await a.run { try await $0.postgres.query(Self.stored).count }
                    #expect(count == 1)
                }
            }
        }

        @Test func `a token signed on one copy is ours on the other`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let member = try await world.a.signUp()
                let claims = try await world.b.run {
                    try #require($0.keys.value).claims(ofAccessToken: member.accessToken.revealedText)
                }
                #expect(claims.subject == "\(member.id)")
            }
        }

        @Test func `a key is made for each algorithm that has none, and kept`() async throws {
            try await World.run { world in
                let first = try await load([.es256], on: world.a)
                #expect(first.signer(for: .rs256) == nil)
                let both = try await load([.es256, .rs256], on: world.a)
                #expect(both.signer(for: .es256)?.keyID == first.signer(for: .es256)?.keyID)
                #expect(both.signer(for: .rs256) != nil)
                #expect(try await load([], on: world.a).rendered == both.rendered)
                // What is stored in the clear is what is published.
                let rows = try await world.a.run { try await $0.postgres.query(Self.stored).map { try $0.string(3) } }
                #expect(rows.count == 2)
                #expect(rows.allSatisfy { !$0.contains("\"d\"") })
            }
        }

        @Test func `another master key opens nothing`() async throws {
            try await World.run { world in
                let kid = try #require(try await load([.es256], on: world.a).signer(for: .es256)).keyID
                let (other, sealer) = (try Sample.masterKey(2), world.masterKey.id)
                let pool = BlockingPool(label: "test.keys", threads: 1, queueLimit: 8)
                defer { pool.stop() }
                await #expect(throws: SigningKeyStore.Failure.unusable(kid: kid, sealedWith: sealer)) {
                    try await world.a.run { parts in
                        let store = SigningKeyStore(
                            pool: parts.postgres, masterKey: other, computing: pool, system: parts.sessions.system)
                        _ = try await store.load(ensuring: [.es256])
                    }
                }
            }
        }

        @Test func `a key that was put in the place of another opens neither`() async throws {
            try await World.run { world in
                let kid = try #require(try await load([.es256, .rs256], on: world.a).signer(for: .es256)).keyID
                _ = try await world.a.run { try await $0.postgres.query(Self.swap) }
                let sealer = world.masterKey.id
                await #expect(throws: SigningKeyStore.Failure.unusable(kid: kid, sealedWith: sealer)) {
                    try await load([.es256, .rs256], on: world.a)
                }
            }
        }

        @Test func `without keys there is no session, and nobody is made`() async throws {
            try await World.run { world in
                await world.a.run { $0.keys.value = nil }
                await #expect(throws: IdentityError.unavailable(retryAfter: .seconds(1))) { try await world.a.signUp() }
                let count = try await world.a.userCount()
                #expect(count == 0)
            }
        }
    }
}
