import Crypto
import JOSE
import Networking
import Synchronization

/// The keys of the issuer for development: one of each kind that signs, and those before them, which are still published.
final class DevIssuerKeys: Sendable {
    private struct Generation: Sendable {
        let rs256: SigningKey
        let es256: SigningKey

        var published: [JWK] {
            [rs256, es256].map { JWK(key: $0.publicKey, algorithm: $0.algorithm) }
        }
    }

    private struct State {
        var current: Generation
        var previous: Generation?
    }

    private let state: Mutex<State>

    /// Makes the first keys, which takes tenths of a second.
    init() throws(CryptoError) {
        state = Mutex(State(current: try Self.generate()))
    }

    /// From now on other keys sign. The ones before stay published, unless they are to be forgotten; older ones go.
    func rotate(forgetting: Bool, on pool: BlockingPool) async throws(BlockingPool.Overloaded) {
        let made = try await pool.run { try? Self.generate() }
        guard let made else { return }
        state.withLock { $0 = State(current: made, previous: forgetting ? nil : $0.current) }
    }

    var published: JWKSet {
        state.withLock { state in JWKSet(state.current.published + (state.previous?.published ?? [])) }
    }

    /// - Returns: nil for an algorithm that is only verified here.
    func key(for algorithm: SignatureAlgorithm) -> SigningKey? {
        let current = state.withLock(\.current)
        switch algorithm {
        case .rs256: return current.rs256
        case .es256: return current.es256
        case .ps256: return nil
        }
    }

    private static func generate() throws(CryptoError) -> Generation {
        Generation(rs256: try .generate(.rs256()), es256: try .generate(.es256))
    }
}
