import HTTP
import Identity
import Routing

extension OAuth {
    /// `GET /.well-known/jwks.json`: the public keys, for backends that verify access tokens by themselves (RFC 7517 §5).
    struct KeySet: Sendable {
        /// Five minutes, so that a new key is known everywhere long before it signs.
        private static let fields: ResponseFields = [
            "Cache-Control": "public, max-age=300", "Access-Control-Allow-Origin": "*",
        ]

        let keys: LoopSlot<KeyRing?>

        func answer(_ request: Request) async throws(Failure) -> Response {
            guard let ring = keys.value else { throw .unavailable(retryAfter: .seconds(1)) }
            return .json(.ok, ring.rendered, fields: Self.fields).sharingBody
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "The public keys of access tokens (RFC 7517)",
                responses: [.json(.ok, "The key set.", .object([.required("keys", .array(of: key))]))])
        }

        private static let key = Schema.object([
            .required("kty", .string), .required("kid", .string), .required("alg", .string), .required("use", .constant("sig")),
            .optional("crv", .string), .optional("x", .string), .optional("y", .string), .optional("n", .string),
            .optional("e", .string),
        ]).named("JWK")
    }
}
