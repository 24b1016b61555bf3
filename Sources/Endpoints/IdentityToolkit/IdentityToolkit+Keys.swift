import Crypto
import HTTP
import Identity
import JOSE
import Routing
import Text

/// The keys by which the project's tokens are verified.
extension IdentityToolkit.Core {
    var keyEndpoints: [Endpoint] {
        [
            Endpoint("Certificates of the keys that sign ID tokens", .get, .everybody, [Host.keys]) { _ throws(Failure) in
                try self.certificateAnswer()
            },
            Endpoint(
                "Certificates of the keys that sign session cookies", .get, .everybody, [Host.legacy + "/publicKeys"]
            ) { _ throws(Failure) in try self.certificateAnswer() },
            Endpoint(
                "The keys as a JWK Set", .get, .everybody,
                [
                    Host.toolkit + "/v1/sessionCookiePublicKeys",
                    "/www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
                ]
            ) { _ throws(Failure) in try self.keySet() },
        ]
    }

    private static let kept: ResponseFields = ["Cache-Control": "public, max-age=3600, must-revalidate"]

    private func keySet() throws(Failure) -> Response {
        do throws(IdentityError) {
            return .json(.ok, try services.keys.current().rendered, fields: Self.kept)
        } catch {
            throw Failure(error)
        }
    }

    /// Verifiers read the key out of the certificate, and nothing else.
    private func certificateAnswer() throws(Failure) -> Response {
        let now = api.system.now()
        do throws(IdentityError) {
            let ring = try services.keys.current()
            if let last = certificates.value, last.isOf(ring, at: now) { return .json(.ok, last.bytes, fields: Self.kept) }
            let made = IdentityToolkit.RenderedCertificates(try ring.certificates(of: .rs256, at: now), of: ring, at: now)
            certificates.value = made
            return .json(.ok, made.bytes, fields: Self.kept)
        } catch {
            throw Failure(error)
        }
    }
}

extension IdentityToolkit {
    /// The certificates of a key ring, as they go over the wire for a day.
    struct RenderedCertificates: Sendable {
        let bytes: [UInt8]
        private let entityTag: String
        private let day: Int64

        init(_ certificates: JSONObject, of ring: KeyRing, at now: Timestamp) {
            bytes = JSONValue.object(certificates).serialized
            entityTag = ring.entityTag
            day = now.seconds / 86_400
        }

        func isOf(_ ring: KeyRing, at now: Timestamp) -> Bool {
            entityTag == ring.entityTag && day == now.seconds / 86_400
        }
    }
}
