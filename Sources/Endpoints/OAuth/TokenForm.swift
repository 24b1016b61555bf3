import HTTP
import Identity
import Routing
import Text

extension OAuth {
    /// The form that introspection and revocation take: `token`, and a `token_type_hint` that is not needed to find it, because a token
    /// says itself what it is.
    struct TokenForm {
        let fields: FormFields

        /// - Throws: `OAuth.Failure.invalidRequest`.
        init(_ request: Request) throws(Failure) {
            // A token in the address would end up in logs and histories (RFC 6750 §5.3).
            guard request.head.query == nil else { throw .invalidRequest("parameters belong in the body") }
            do throws(FormError) {
                fields = try FormFields(parsing: request.body)
            } catch .repeatedField {
                throw .invalidRequest("a parameter is repeated")
            } catch {
                throw .invalidRequest("the form is malformed")
            }
        }

        /// - Throws: `OAuth.Failure.invalidRequest` when it is missing or empty.
        func token() throws(Failure) -> SecretString {
            guard let token = fields.secret("token"), !token.isEmpty else { throw .invalidRequest("token is missing") }
            return token
        }

        /// Nil for a hint that is not known (RFC 7009 §2.2.1 leaves it to us), as for none.
        var hint: TokenTypeHint? { Self.hint(fields.value("token_type_hint")) }

        static func hint(_ value: String?) -> TokenTypeHint? { value.flatMap { TokenTypeHint(rawValue: $0) } }

        /// Whether the answer shall say until when it may be remembered.
        var tellsLife: Bool { Self.isTrue(fields.value("cache")) }

        static func isTrue(_ value: String?) -> Bool { value == "1" || value == "true" }

        static let cache = Schema.string.described(
            "`1`: an active answer has `cache_until`, for a client that follows `/oauth2/revocations`.")

        static let hintSchema = Schema.string.described(
            "Not needed. A refresh token that is asked about as an `access_token` is inactive.")

        private static let members: [Routing.Schema.Member] = [
            .required("token", .nonEmpty),
            .optional("token_type_hint", hintSchema), .optional("client_id", .string), .optional("client_secret", .password),
        ]

        static let schema = Schema.form(members)

        static let introspection = Schema.form(members + [.optional("cache", cache)])
    }
}
