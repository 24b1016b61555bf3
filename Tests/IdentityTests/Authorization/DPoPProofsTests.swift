import Crypto
import JOSE
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Proofs of a key, each of which is good once (RFC 9449 §11.1).
    @Suite struct DPoPProofsTests {
        private static let issuer = "https://id.town.example"

        /// A proof for the token endpoint.
        private func proof(at time: Timestamp) throws -> String {
            let key = try SigningKey.generate(.es256)
            var jwk = JSONWriter()
            JWK(key: key.publicKey, algorithm: .es256).write(to: &jwk)
            let header = Array("{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"jwk\":".utf8) + jwk.bytes + Array("}".utf8)
            let claims: JSONValue = [
                "htm": "POST", "htu": .string(Self.issuer + "/oauth2/token"), "iat": .integer(time.seconds), "jti": "one",
            ]
            let input = Base64URL.encode(header) + "." + Base64URL.encode(claims.serialized)
            return input + "." + Base64URL.encode(try key.sign(Array(input.utf8)))
        }

        /// How a proof is taken by a copy whose clock is so far behind; nil where it is good.
        private func refusal(of proof: String, behind: Duration, _ world: World) async throws -> DPoPProof.Refusal? {
            let (now, masterKey) = (world.clock.now.adding(.zero - behind), world.masterKey)
            return try await world.a.run { parts in
                let proofs = DPoPProofs(
                    issuer: Self.issuer, nonces: try DPoPNonces(masterKey), used: UsedIdentifiers(redis: parts.redis),
                    requiresNonce: false, system: SystemContext(now: { now }, random: { SecureRandom.bytes($0) }))
                do throws(DPoPProofs.Refusal) {
                    _ = try await proofs.key(of: [proof], method: "POST", path: "/oauth2/token", accessToken: nil)
                    return nil
                } catch {
                    guard case .proof(let refusal) = error else { throw error }
                    return refusal
                }
            }
        }

        @Test func `one that is dated ahead is not good again at a copy a minute behind, as long as that would take it`()
            async throws
        {
            try await World.run { world in
                let proof = try proof(at: world.clock.now.adding(.seconds(30)))
                #expect(try await refusal(of: proof, behind: .zero, world) == nil)
                // 120 seconds after its date, by the clock that is behind.
                for pause in [Duration.seconds(60), .seconds(121), .seconds(28)] {
                    try await world.pass(pause)
                    #expect(try await refusal(of: proof, behind: .seconds(60), world) == .replayed)
                }
                try await world.pass(.seconds(1))
                #expect(try await refusal(of: proof, behind: .seconds(60), world) == .wrongTime)
            }
        }
    }
}
