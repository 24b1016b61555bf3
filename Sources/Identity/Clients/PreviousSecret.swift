package import Crypto
package import Text

/// The secret that a client had before its last rotation, while it is still good.
package struct PreviousSecret: Equatable, Sendable {
    package let digest: Digest
    /// How long it is good from the moment its record was read. PostgreSQL's clock tells, so that all copies agree.
    package let remaining: Duration
    /// How often it has proved the client since the rotation, over all copies and as of some seconds ago.
    package let uses: Int
    package let lastUse: Timestamp?

    package init(digest: Digest, remaining: Duration, uses: Int = 0, lastUse: Timestamp? = nil) {
        self.digest = digest
        self.remaining = remaining
        self.uses = uses
        self.lastUse = lastUse
    }
}
