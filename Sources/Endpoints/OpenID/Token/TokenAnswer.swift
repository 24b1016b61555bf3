import HTTP
import Identity
import Routing
import Text

extension OpenID {
    /// What a token request has led to (RFC 6749 §5.1).
    struct TokenAnswer: Sendable {
        let accessToken: SecretString
        let isBoundToKey: Bool
        let life: Duration
        var refreshToken: SecretString?
        var idToken: SecretString?
        let scopes: [String]
        /// Of a token exchange (RFC 8693 §2.2.1).
        var issuedTokenType: String?

        var response: Response {
            var writer = JSONWriter(capacity: 2048)
            writer.beginObject()
            writer.member("access_token", accessToken.revealedText)
            writer.member("token_type", isBoundToKey ? "DPoP" : "Bearer")
            writer.member("expires_in", max(0, life.components.seconds))
            if let refreshToken { writer.member("refresh_token", refreshToken.revealedText) }
            if let idToken { writer.member("id_token", idToken.revealedText) }
            if !scopes.isEmpty { writer.member("scope", scopes.joined(separator: " ")) }
            if let issuedTokenType { writer.member("issued_token_type", issuedTokenType) }
            writer.endObject()
            return .json(.ok, writer, fields: .notStored)
        }

        static let schema = Routing.Schema.object([
            .required("access_token", .string), .required("token_type", .choice(["Bearer", "DPoP"])),
            .required("expires_in", .integer.described("Seconds.")), .optional("refresh_token", .string),
            .optional("id_token", .string.described("With the scope `openid`.")), .optional("scope", .string),
            .optional("issued_token_type", .string),
        ]).named("OAuthTokens")
    }
}
