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

/// The name of a session: 128 random bits, written as 22 characters of base64url. It is the `sid` of tokens and no secret.
package struct SessionID: Hashable, Sendable, CustomStringConvertible {
    package static let byteCount = 16
    /// Characters of the written form.
    package static let textLength = 22

    /// The written form, which names the record in Redis.
    package let text: String

    /// `random` must be `byteCount` bytes from a secure source.
    package init(random: [UInt8]) {
        precondition(random.count == Self.byteCount, "a session id is 16 bytes")
        text = Base64URL.encode(random)
    }

    /// The canonical written form and nothing else; `nil` for any other text.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == Self.textLength, Base64URL.decode(text) != nil else { return nil }
        self.text = String(text)
    }

    /// From its bytes; nil for another number of them.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        text = Base64URL.encode(bytes)
    }

    package var bytes: [UInt8] {
        Base64URL.decode(text) ?? []
    }

    package var description: String {
        text
    }
}

/// The name of a client (RFC 6749 §2.2): 1 to 64 of the ASCII letters, digits, dot, underscore and hyphen.
///
/// Not in the form of a UUID, so that a token's subject can never be taken for a user when it is a client (RFC 9068 §5).
package struct ClientID: Hashable, Sendable, CustomStringConvertible {
    package static let maximumLength = 64

    package let text: String

    package init?(_ text: String) {
        let scalars = text.unicodeScalars
        guard
            (1...Self.maximumLength).contains(scalars.count),
            scalars.allSatisfy({ $0.isASCIILetterOrDigit || "._-".unicodeScalars.contains($0) }),
            UUID(text) == nil
        else { return nil }
        self.text = text
    }

    package var description: String {
        text
    }
}

/// The name of an identity provider in settings, records and URLs: `apple`, `google`, or what the operator called it.
package struct ProviderID: Hashable, Sendable, CustomStringConvertible {
    package static let maximumLength = 32

    package static let apple = ProviderID(checked: "apple")
    package static let google = ProviderID(checked: "google")

    /// 1 to 32 of the ASCII letters in lower case, digits and hyphens.
    package let text: String

    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.text = text
    }

    init(checked text: String) {
        self.text = text
    }

    package var description: String {
        text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }
}

/// Which grant of its session: a random number. The one that the session began with has the number 0, and is not named in its refresh tokens.
package struct GrantID: Hashable, Sendable, CustomStringConvertible {
    package static let byteCount = 4
    /// That with which a session begins.
    package static let first = GrantID(0)

    package let number: UInt32

    package init(_ number: UInt32) {
        self.number = number
    }

    /// Of a further grant. `random` must be `byteCount` bytes from a secure source: a number is not to come again in its session.
    package init(random: [UInt8]) {
        precondition(random.count == Self.byteCount, "a grant id is 4 bytes")
        number = max(1, random.reduce(0) { $0 << 8 | UInt32($1) })
    }

    package var description: String {
        String(number)
    }
}
