package import Text

/// The claims of a JWT access token (RFC 9068 §2.2).
package struct AccessTokenClaims: Sendable {
    package let issuer: String
    package let audiences: [String]
    package let record: AccessTokenRecord
    /// What else a client protocol wants in the token. It never replaces one of the claims of the record.
    package let additional: JSONObject
    private let tellsEmail: Bool
    private let tellsClaims: Bool

    /// - Parameters:
    ///   - record: what is kept of the token.
    ///   - isForOwnClient: whether the client is the team's own. Any other, which can read the token, learns only what the user has let it
    ///     know (RFC 9068 §6). What introspection says depends on who asks (`Client.limitedByScopes`).
    package init(
        _ record: AccessTokenRecord, in installation: Installation, isForOwnClient: Bool, additional: JSONObject = JSONObject()
    ) {
        issuer = installation.issuer
        audiences = record.audiences ?? [installation.audience]
        self.record = record
        self.additional = additional
        tellsEmail = isForOwnClient || record.scopes.contains("email")
        // Roles and what else operators say of a user is for backends of theirs.
        tellsClaims = isForOwnClient || audiences.contains { $0 != installation.userInfoAudience && $0 != installation.issuer }
    }

    /// The payload of the JWT. Instants are whole seconds; `exp` is rounded down, so that nobody trusts the token for longer
    /// than we do.
    package var payload: [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.member("iss", issuer)
        writer.key("aud")
        writer.value(audiences.count == 1 ? .string(audiences[0]) : .array(audiences.map { .string($0) }))
        switch record.subject {
        case .user(let userID, _, _, _, _, _): writer.member("sub", userID.description)
        case .client: writer.member("sub", record.clientID.text)
        }
        writer.member("client_id", record.clientID.text)
        writer.member("jti", record.tokenID)
        writer.member("iat", record.issuedAt.seconds)
        writer.member("nbf", record.issuedAt.seconds)
        writer.member("exp", record.expiresAt.seconds)
        if !record.scopes.isEmpty { writer.member("scope", record.scopes.joined(separator: " ")) }
        if let confirmation = record.confirmation { writer.member("cnf", confirmation.json) }
        if let act = record.act { writer.member("act", act) }
        var further = additional.members
        if case .user(_, let sessionID, _, let owner, let methods, let authenticatedAt) = record.subject {
            writer.member("auth_time", authenticatedAt.seconds)
            if !methods.isEmpty { writer.member("amr", .array(methods.sorted().map { .string($0.text) })) }
            writer.member("sid", sessionID.text)
            if tellsEmail, let email = owner.username {
                writer.member("email", email)
                writer.member("email_verified", owner.emailVerified)
            }
            // The protocol's own come first: a second member of a name would leave to each reader which one counts.
            if tellsClaims { further += owner.claims.members.filter { additional[$0.key] == nil } }
        }
        for member in further where !CustomClaims.tokenNames.contains(member.key) { writer.member(member.key, member.value) }
        writer.endObject()
        return writer.bytes
    }
}
