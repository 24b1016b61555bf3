package import Text

/// What tokens and introspection say of the user of a session, without a look-up. It is what held when the session began, or when it was last
/// brought up to date (`Sessions.update(_:of:)`).
package struct SessionOwner: Equatable, Sendable {
    /// The e-mail address, as typed; nil where there is none.
    package let username: String?
    /// Whether that address is known to be the user's.
    package let emailVerified: Bool
    /// What an operator has given to the user, for access tokens (RFC 9068 §2.2.3.1).
    package let claims: JSONObject

    package init(username: String?, emailVerified: Bool, claims: JSONObject = JSONObject()) {
        self.username = username
        self.emailVerified = emailVerified
        self.claims = claims
    }

    package init(_ user: User) {
        var claims = user.claims
        // Only what an operator has said of the roles counts: an admin API may set any other claim.
        claims["roles"] = user.roles.isEmpty ? nil : .array(user.roles.map { .string($0) })
        // Another name of `sub` in our tokens.
        claims["userId"] = nil
        self.init(username: user.email?.typed, emailVerified: user.emailVerified, claims: claims)
    }
}

extension SessionOwner {
    private static let isVerified: UInt8 = 1
    private static let hasName: UInt8 = 2

    var packed: [UInt8] {
        var writer = PackedWriter(capacity: 64)
        writer.number((emailVerified ? Self.isVerified : 0) | (username == nil ? 0 : Self.hasName), 1)
        if let username { writer.text(username, lengthSize: 2) }
        if !claims.members.isEmpty { writer.raw(JSONValue.object(claims).serialized) }
        return writer.bytes
    }

    init?(packed bytes: [UInt8]) {
        var reader = PackedReader(bytes)
        let flags = UInt8(truncatingIfNeeded: reader.number(1))
        let username = flags & Self.hasName == 0 ? nil : reader.text(lengthSize: 2)
        guard reader.isIntact else { return nil }
        var claims = JSONObject()
        if !reader.isAtEnd {
            guard let read = try? JSON.parse(Array(bytes[reader.position...])).objectValue else { return nil }
            claims = read
        }
        self.init(username: username, emailVerified: flags & Self.isVerified != 0, claims: claims)
    }
}
