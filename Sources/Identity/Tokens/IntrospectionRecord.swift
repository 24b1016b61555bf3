package import Text

/// The answer to "is this token good?" (RFC 7662 §2.2) for a token that is, rendered once when the token is issued.
///
/// The bytes of an access token's always begin with `{"active":true,"aud":"<audience>",`. A caller may see tokens of its own audiences only (RFC
/// 7662 §4), and with the audience at a known place that is one comparison of bytes with a prefix made beforehand: no parsing
/// on the way of the busiest request there is. The quote and the comma belong to the prefix, so that no audience passes for a longer
/// one that begins like it.
package struct IntrospectionRecord: Sendable {
    /// What kind of token is described.
    package enum Token: Sendable {
        /// `token_type` is `Bearer`.
        case access(id: UUID)
        /// No `token_type`, no `jti`, no `aud` and no `scope`: a refresh token opens nothing, and nobody shall take it for one that does.
        case refresh
    }

    package let token: Token
    package let issuer: String
    package let audience: String
    package let subject: UserID
    /// The user's e-mail address, as typed.
    package let username: String
    /// Whether that address is known to be the user's.
    package let emailVerified: Bool
    package let clientID: ClientID
    package let sessionID: SessionID
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    /// Space-separated (RFC 6749 §3.3); `nil` if none was granted.
    package let scope: String?

    package init(
        token: Token, issuer: String, audience: String, subject: UserID, username: String, emailVerified: Bool,
        clientID: ClientID,
        sessionID: SessionID, issuedAt: Timestamp, expiresAt: Timestamp, scope: String? = nil
    ) {
        self.token = token
        self.issuer = issuer
        self.audience = audience
        self.subject = subject
        self.username = username
        self.emailVerified = emailVerified
        self.clientID = clientID
        self.sessionID = sessionID
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.scope = scope
    }

    /// The whole answer for a token that is not good, whatever the cause.
    package static let inactive = Array("{\"active\":false}".utf8)

    /// How every record for this audience begins.
    package static func prefix(audience: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 64)
        writer.beginObject()
        writer.member("active", true)
        writer.member("aud", audience)
        return writer.bytes + [UInt8(ascii: ",")]
    }

    package var bytes: [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.member("active", true)
        if case .access = token { writer.member("aud", audience) }
        writer.member("client_id", clientID.text)
        writer.member("sub", subject.description)
        writer.member("username", username)
        writer.member("email_verified", emailVerified)
        if case .access = token { writer.member("token_type", "Bearer") }
        writer.member("exp", expiresAt.seconds)
        writer.member("iat", issuedAt.seconds)
        writer.member("nbf", issuedAt.seconds)
        writer.member("iss", issuer)
        if case .access(let id) = token { writer.member("jti", id) }
        if case .access = token, let scope { writer.member("scope", scope) }
        writer.member("sid", sessionID.text)
        writer.endObject()
        return writer.bytes
    }
}
