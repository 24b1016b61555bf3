import Text

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

extension SessionTombstone {
    init?(packed bytes: [UInt8]) {
        var reader = PackedReader(bytes, at: 1)
        let (user, salt) = (Array(reader.raw(16)), Array(reader.raw(SessionSalt.byteCount)))
        _ = reader.number(6)
        let reason = reader.text(lengthSize: 1)
        guard reader.isIntact, let reason = SessionEnd(rawValue: reason) else { return nil }
        let isKnown = user.contains { $0 != 0 }
        self.init(
            reason: reason, userID: isKnown ? UUID(bytes: user).map { UserID($0) } : nil,
            salt: isKnown ? SessionSalt(random: salt) : nil)
    }
}
