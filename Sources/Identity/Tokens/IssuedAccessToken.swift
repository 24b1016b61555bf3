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
    /// How long it lives, in milliseconds: not beyond its `exp`, which has whole seconds. At least one: Redis takes no other.
    func life(at now: Timestamp) -> Int64 {
        max(1, Timestamp(seconds: expiresAt.seconds).duration(since: now).wholeMilliseconds)
    }
}
