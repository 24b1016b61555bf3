import Text

/// The sessions of a user, `user:<the user's id in base64url>`: a sorted set of session ids in 16 bytes, by absolute end. It names every session
/// that there is, so that "end all sessions" is complete.
package enum SessionIndex {
    static let prefix = "user:"

    package static func key(_ userID: UserID) -> String {
        prefix + Base64URL.encode(userID.uuid.bytes)
    }

    /// Whose the index of this key is.
    static func owner(_ key: String) -> UserID? {
        guard key.hasPrefix(prefix), let bytes = Base64URL.decode(key.dropFirst(prefix.count)) else { return nil }
        return UUID(bytes: bytes).map { UserID($0) }
    }
}
