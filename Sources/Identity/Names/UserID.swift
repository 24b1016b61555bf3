package import Text

/// A user's id: a UUID of version 7 (RFC 9562 §5.7), so that the users table grows at its end. Never given to anybody else.
package struct UserID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let uuid: UUID

    package init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// A new one; `random` should be ten bytes from a secure source.
    package init(at now: Timestamp, random: [UInt8]) {
        uuid = UUID(version7At: now, random: random)
    }

    /// From its written form; `nil` for anything that is no UUID.
    package init?(_ text: some StringProtocol) {
        guard let uuid = UUID(text) else { return nil }
        self.uuid = uuid
    }

    package var description: String {
        uuid.description
    }

    package static func < (left: UserID, right: UserID) -> Bool {
        left.uuid < right.uuid
    }
}
