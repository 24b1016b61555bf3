package import Text

/// What a session's record lists of an access token.
package struct IssuedAccessToken: Equatable, Sendable {
    package let hash: AccessTokenHash
    package let expiresAt: Timestamp

    package init(hash: AccessTokenHash, expiresAt: Timestamp) {
        self.hash = hash
        self.expiresAt = expiresAt
    }
}

extension IssuedAccessToken {
    /// How long it lives, in milliseconds. At least one: Redis takes no other.
    func life(at now: Timestamp) -> Int64 {
        max(1, expiresAt.duration(since: now).wholeMilliseconds)
    }
}
