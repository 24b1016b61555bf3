package import Crypto
package import Text

/// Nonces that DPoP proofs must have (RFC 9449 §8): an instant and a mac of it, so that nothing is stored and every copy takes those of the others.
package struct DPoPNonces: Sendable {
    /// A nonce is given out for so long, and taken for as long again.
    private static let period: Int64 = 300_000

    /// The one that makes nonces first.
    private let keys: [SymmetricKey]

    package init(_ masterKey: MasterKey) throws(CryptoError) {
        var keys = [try masterKey.derive(.authorization)]
        if let other = masterKey.other { keys.append(try other.derive(.authorization)) }
        self.keys = keys
    }

    package func nonce(at now: Timestamp) -> String {
        Self.nonce(now.milliseconds / Self.period, keys[0])
    }

    /// Copies' clocks may differ: one of the next period is taken as well.
    package func accepts(_ nonce: String, at now: Timestamp) -> Bool {
        let period = now.milliseconds / Self.period
        let presented = Array(nonce.utf8)
        return [period, period - 1, period + 1].contains { period in
            keys.contains { ConstantTime.equal(presented, Array(Self.nonce(period, $0).utf8)) }
        }
    }

    private static func nonce(_ period: Int64, _ key: SymmetricKey) -> String {
        let mac = HMACSHA256.authenticate(Array("dpop_nonce\0\(period)".utf8), key: key)
        return Base64URL.encode(Array(mac.bytes.prefix(18)))
    }
}

/// Checks DPoP proofs (RFC 9449 §4.3): what they say, their nonce, and that each is used once.
package struct DPoPProofs: Sendable {
    package enum Refusal: Error {
        case proof(DPoPProof.Refusal)
        /// It has no nonce of ours, or an old one: to be made again with the one that goes out with the answer.
        case nonceNeeded
        case store(ServiceFailure)
    }

    private let issuer: String
    private let nonces: DPoPNonces
    private let used: UsedIdentifiers
    private let requiresNonce: Bool
    private let system: SystemContext

    init(issuer: String, nonces: DPoPNonces, used: UsedIdentifiers, requiresNonce: Bool, system: SystemContext) {
        self.issuer = issuer
        self.nonces = nonces
        self.used = used
        self.requiresNonce = requiresNonce
        self.system = system
    }

    /// That which the next proofs should have.
    package var nonce: String { nonces.nonce(at: system.now()) }

    /// The key whose possession a proof shows.
    /// - Parameters:
    ///   - texts: what came in the fields `DPoP`.
    ///   - path: that of the endpoint.
    ///   - accessToken: what came with it; nil where there is none.
    ///   - needsNonce: false where the answer cannot carry one.
    /// - Throws: `Refusal`.
    package func key(
        of texts: [String], method: String, path: String, accessToken: SecretString?, needsNonce: Bool = true
    ) async throws(Refusal) -> KeyConfirmation {
        guard texts.count == 1, let text = texts.first else { throw .proof(.malformed) }
        let now = system.now()
        let proof: DPoPProof
        do throws(DPoPProof.Refusal) {
            proof = try DPoPProof(
                text, for: .init(method: method, uri: issuer + path, accessToken: accessToken?.revealedText), at: now)
        } catch {
            throw .proof(error)
        }
        if let nonce = proof.nonce {
            guard nonces.accepts(nonce, at: now) else { throw .nonceNeeded }
        } else if requiresNonce, needsNonce {
            throw .nonceNeeded
        }
        guard let bytes = Base64URL.decode(proof.thumbprint), let key = KeyConfirmation(.jwkThumbprint, thumbprint: bytes) else {
            throw .proof(.malformed)
        }
        let isFirst: Bool
        do throws(ServiceFailure) {
            // It may be dated ahead, and the clock of the copy that it comes to next may be a minute behind.
            let life = DPoPProof.maximumAge + DPoPProof.leeway * 4
            isFirst = try await used.use(.proof, proof.id, of: proof.thumbprint, life: life) != nil
        } catch {
            throw .store(error)
        }
        guard isFirst else { throw .proof(.replayed) }
        return key
    }
}
