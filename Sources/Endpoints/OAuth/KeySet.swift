import HTTP
import Identity
import Routing

extension OAuth {
    /// `GET /.well-known/jwks.json`: the public keys, for whoever verifies tokens without asking (RFC 7517 §5).
    struct KeySet: Sendable {
        /// Five minutes, so that a new key is known everywhere long before it signs.
        private static let fields: ResponseFields = [
            "Cache-Control": "public, max-age=300", "Access-Control-Allow-Origin": "*",
        ]

        let keys: LoopSlot<KeyRing?>

        func answer(_ request: Request) async throws(Failure) -> Response {
            guard let ring = keys.value else { throw .unavailable(retryAfter: .seconds(1)) }
            let fields = Self.fields.appending("ETag", ring.entityTag)
            // Weak comparison, and any of several (RFC 9110 §13.1.2).
            let known = request.head.values(named: "if-none-match").flatMap { $0.split(separator: ",") }
            if known.contains(where: { Self.tag($0) == ring.entityTag || Self.tag($0) == "*" }) {
                return .empty(.notModified, fields: fields)
            }
            return .json(.ok, ring.rendered, fields: fields).sharingBody
        }

        private static func tag(_ text: Substring) -> Substring {
            let tag = text.drop { $0 == " " || $0 == "\t" }
            let end = (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag)
            return end.prefix { $0 != " " && $0 != "\t" }
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "The public keys of access tokens and id tokens (RFC 7517)",
                responses: [
                    .json(.ok, "The key set.", .object([.required("keys", .array(of: key))])),
                    .empty(.notModified, "It is the one that `If-None-Match` names."),
                ])
        }

        private static let key = Schema.object([
            .required("kty", .string), .required("kid", .string), .required("alg", .string), .required("use", .constant("sig")),
            .optional("crv", .string), .optional("x", .string), .optional("y", .string), .optional("n", .string),
            .optional("e", .string),
        ]).named("JWK")
    }
}
