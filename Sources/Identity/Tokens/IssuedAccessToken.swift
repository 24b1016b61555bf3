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
