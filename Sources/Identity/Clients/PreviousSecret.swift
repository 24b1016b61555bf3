package import Crypto

/// The secret that a client had before its last rotation, while it is still good.
package struct PreviousSecret: Equatable, Sendable {
    package let digest: Digest
    /// How long it is good from the moment its record was read. PostgreSQL's clock tells, so that all copies agree.
    package let remaining: Duration

    package init(digest: Digest, remaining: Duration) {
        self.digest = digest
        self.remaining = remaining
    }
}
