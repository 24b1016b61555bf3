package import Crypto
import JOSE
package import Networking
package import Postgres
import Text

/// The signing keys in PostgreSQL: public parts in the clear, private parts sealed with the master key.
package struct SigningKeyStore: Sendable {
    /// Why the keys cannot be used.
    package enum Failure: Error, Equatable {
        case store(PostgresError)
        /// No master key of ours opens this key, or the record is damaged.
        /// - Parameter sealedWith: the master key that has sealed it; nil when the record does not say.
        case unusable(kid: String, sealedWith: MasterKey.ID?)
        /// OpenSSL could not make a key.
        case generation
    }

    let pool: PostgresPool
    private let masterKey: MasterKey
    private let computing: BlockingPool
    let system: SystemContext

    /// - Parameter computing: where keys are generated.
    package init(pool: PostgresPool, masterKey: MasterKey, computing: BlockingPool, system: SystemContext) {
        self.pool = pool
        self.masterKey = masterKey
        self.computing = computing
        self.system = system
    }

    /// Loads all keys, first making the active key of each of `algorithms` that has none. Copies that start at once agree on
    /// one key, because the table has room for one active key of an algorithm.
    /// - Throws: `Failure`.
    package func load(ensuring algorithms: Set<SignatureAlgorithm>) async throws(Failure) -> KeyRing {
        var rows = try await read()
        let active = Set(rows.filter { $0.state == .active }.map(\.algorithm))
        for algorithm in KeyRing.algorithms where algorithms.subtracting(active).contains(algorithm) {
            try await create(algorithm)
        }
        if !algorithms.isSubset(of: active) { rows = try await read() }
        var signers: [SignatureAlgorithm: JWSSigner] = [:]
        var keys: [JWK] = []
        for row in rows {
            let signer = try signer(row)
            keys.append(signer.jwk)
            if row.state == .active { signers[row.algorithm] = signer }
        }
        return KeyRing(signers: signers, keys: keys)
    }

    private struct StoredKey {
        let algorithm: SignatureAlgorithm
        let state: KeyState
        let sealed: SealedKey
    }

    private func read() async throws(Failure) -> [StoredKey] {
        do throws(PostgresError) {
            var keys: [StoredKey] = []
            for row in try await pool.query(SigningKeyQueries.all, [system.statementTime.parameter]) {
                guard let algorithm = SignatureAlgorithm(rawValue: try row.string(1)),
                    let state = KeyState(rawValue: try row.string(4))
                else { continue }
                let sealed = SealedKey(kid: try row.string(0), sealed: try row.bytes(2))
                keys.append(StoredKey(algorithm: algorithm, state: state, sealed: sealed))
            }
            return keys
        } catch {
            throw .store(error)
        }
    }

    private func signer(_ row: StoredKey) throws(Failure) -> JWSSigner {
        do throws(CryptoError) {
            // Sealed by us, so nobody has changed it.
            let key = try SigningKey(exported: row.sealed.open(with: masterKey))
            return JWSSigner(key: key, type: KeyRing.TokenType.accessToken.mediaType, keyID: row.sealed.kid)
        } catch {
            throw .unusable(kid: row.sealed.kid, sealedWith: row.sealed.masterKeyID)
        }
    }

    private func create(_ algorithm: SignatureAlgorithm) async throws(Failure) {
        let made = try await make(algorithm)
        do throws(PostgresError) {
            _ = try await pool.query(SigningKeyQueries.insertActive, made.parameters(at: system.statementTime))
        } catch {
            throw .store(error)
        }
    }

    /// A new key, which is stored nowhere yet.
    func make(_ algorithm: SignatureAlgorithm) async throws(Failure) -> NewSigningKey {
        let masterKey = masterKey
        let made: Result<(sealed: SealedKey, jwk: [UInt8]), CryptoError>
        do throws(BlockingPool.Overloaded) {
            made = try await computing.run {
                Result { () throws(CryptoError) in
                    let key = try SigningKey.generate(algorithm == .es256 ? .es256 : .rs256(bits: 2048))
                    let signer = JWSSigner(key: key, type: nil)
                    var writer = JSONWriter()
                    signer.jwk.write(to: &writer)
                    return (try SealedKey(sealing: key.exportPKCS8(), kid: signer.keyID, with: masterKey), writer.bytes)
                }
            }
        } catch {
            throw .store(.overloaded)
        }
        guard case .success(let (sealed, jwk)) = made else { throw .generation }
        return NewSigningKey(sealed: sealed, algorithm: algorithm, jwk: jwk)
    }
}

/// A key that has just been made, sealed.
struct NewSigningKey: Sendable {
    let sealed: SealedKey
    let algorithm: SignatureAlgorithm
    /// The public part, rendered.
    let jwk: [UInt8]

    /// Those of `SigningKeyQueries.insertActive`.
    func parameters(at time: StatementTime) -> [PostgresValue] {
        [
            time.parameter, .text(sealed.kid), .text(algorithm.rawValue), .bytes(sealed.sealed),
            .json(String(decoding: jwk, as: UTF8.self)),
        ]
    }
}
