package import Text

/// The claims of a JWT access token (RFC 9068 §2.2).
package struct AccessTokenClaims: Sendable {
    package let issuer: String
    package let audience: String
    package let subject: UserID
    package let clientID: ClientID
    package let tokenID: UUID
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    package let authenticatedAt: Timestamp
    package let sessionID: SessionID
    /// The user's address, and whether it is known to be his (OpenID Connect Core §5.1).
    package let email: String
    package let emailVerified: Bool
    /// Space-separated (RFC 6749 §3.3); `nil` if none was granted.
    package let scope: String?
    /// What else a client protocol or an operator wants in the token. It never replaces one of the claims above.
    package let additional: JSONObject

    package init(
        issuer: String, audience: String, subject: UserID, clientID: ClientID, tokenID: UUID, issuedAt: Timestamp,
        expiresAt: Timestamp, authenticatedAt: Timestamp, sessionID: SessionID, email: String, emailVerified: Bool,
        scope: String? = nil,
        additional: JSONObject = JSONObject()
    ) {
        self.issuer = issuer
        self.audience = audience
        self.subject = subject
        self.clientID = clientID
        self.tokenID = tokenID
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.authenticatedAt = authenticatedAt
        self.sessionID = sessionID
        self.email = email
        self.emailVerified = emailVerified
        self.scope = scope
        self.additional = additional
    }

    /// The names that `additional` cannot take, whether this token has them or not: those written here, and those by which
    /// resource servers decide who the caller is and what it may do.
    package static let reservedNames: Set<String> = [
        "iss", "aud", "sub", "client_id", "jti", "iat", "nbf", "exp", "auth_time", "sid", "scope", "acr", "amr", "azp", "cnf",
        "act", "may_act", "nonce", "active", "token_type", "username", "email", "email_verified",
    ]

    /// The payload of the JWT. Instants are whole seconds; `exp` is rounded down, so that nobody trusts the token for longer
    /// than we do.
    package var payload: [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.member("iss", issuer)
        writer.member("aud", audience)
        writer.member("sub", subject.description)
        writer.member("client_id", clientID.text)
        writer.member("jti", tokenID)
        writer.member("iat", issuedAt.seconds)
        writer.member("nbf", issuedAt.seconds)
        writer.member("exp", expiresAt.seconds)
        writer.member("auth_time", authenticatedAt.seconds)
        writer.member("sid", sessionID.text)
        if let scope { writer.member("scope", scope) }
        writer.member("email", email)
        writer.member("email_verified", emailVerified)
        for member in additional.members where !Self.reservedNames.contains(member.key) {
            writer.member(member.key, member.value)
        }
        writer.endObject()
        return writer.bytes
    }
}
