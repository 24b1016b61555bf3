/// What is left of a session that ended before its time, for long enough to tell a late request why it is refused, and to
/// delete the access tokens that a failure may have left.
package struct SessionTombstone: Sendable {
    /// Longer than any request is under way. One that lists access tokens stays until the last of them has expired.
    package static let standardLife: Duration = .seconds(60)

    package let reason: SessionEnd
    /// `nil` if the session was ended before it was written.
    package let userID: UserID?
    /// Verifies the macs of the session's tokens, so that nobody learns anything by guessing; `nil` if the session was ended
    /// before it was written.
    package let salt: SessionSalt?
}

extension SessionEnd {
    /// Whether the tombstone stays for as long as the session would have lived, because a client must be told the reason
    /// whenever it comes back.
    var outlivesTombstone: Bool {
        switch self {
        case .userDeleted: true
        case .signedOut, .revoked, .refreshReused, .passwordChanged, .userDisabled, .identityUnlinked, .accountReclaimed,
            .endedByProvider, .addressChanged, .changesUndone:
            false
        }
    }
}
