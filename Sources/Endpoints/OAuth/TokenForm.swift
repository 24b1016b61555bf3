import HTTP
import Text

/// The form that introspection and revocation take: `token`, and a `token_type_hint` that is not needed here, because a token
/// says itself what it is.
struct TokenForm {
    let fields: FormFields

    /// - Throws: `OAuthError.invalidRequest`.
    init(_ request: Request) throws(OAuthError) {
        // A token in the address would end up in logs and histories (RFC 6750 §5.3).
        guard request.head.query == nil else { throw .invalidRequest("parameters belong into the body") }
        do throws(FormError) {
            fields = try FormFields(parsing: request.body)
        } catch .repeatedField {
            throw .invalidRequest("a parameter is repeated")
        } catch {
            throw .invalidRequest("the form is malformed")
        }
    }

    /// - Throws: `OAuthError.invalidRequest` when it is missing or empty.
    func token() throws(OAuthError) -> SecretString {
        guard let token = fields.secret("token"), !token.isEmpty else { throw .invalidRequest("token is missing") }
        return token
    }
}

extension TokenForm {
    static let schema = Schema.form([
        .required("token", .nonEmpty), .optional("token_type_hint", .string.described("Not needed.")),
        .optional("client_id", .string), .optional("client_secret", .password),
    ])
}
