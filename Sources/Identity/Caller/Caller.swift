import Networking

/// Who asks, as far as the way in knows: for audit events, limits and the list of devices.
package struct Caller: Sendable {
    /// The client's address in its usual form.
    package let address: String?
    /// The name of the request in logs and answers.
    package let referenceID: String?
    package let device: DeviceDescription
    /// What the app calls the device, if it does.
    package let deviceID: DeviceID?
    /// Whether it is a web page: of ours, or of a site that has a browser ask.
    package let isPage: Bool
    /// What a mail is written in that nobody has asked for, and this caller has caused.
    let language: @Sendable () -> MailLanguage
    /// Told how the caller stands with the limits, each time that is known anew.
    let report: @Sendable (LimitStanding) -> Void

    package init(
        address: String?, referenceID: String?, device: DeviceDescription, deviceID: DeviceID? = nil,
        isPage: Bool = false,
        language: @escaping @Sendable () -> MailLanguage = { .english },
        report: @escaping @Sendable (LimitStanding) -> Void = { _ in }
    ) {
        self.address = address.map(Self.storable)
        self.referenceID = referenceID.map(Self.storable)
        self.device = device
        self.deviceID = deviceID
        self.isPage = isPage
        self.language = language
        self.report = report
    }

    /// The same as if no web page asked.
    package var asApp: Caller {
        Caller(address: address, referenceID: referenceID, device: device, deviceID: deviceID, language: language, report: report)
    }

    /// The same on a device that is known by something else.
    package func on(_ deviceID: DeviceID?) -> Caller {
        Caller(
            address: address, referenceID: referenceID, device: device, deviceID: deviceID, isPage: isPage, language: language,
            report: report)
    }

    /// PostgreSQL takes no NUL in a text.
    private static func storable(_ text: String) -> String {
        text.utf8.contains(0) ? String(text.unicodeScalars.filter { $0 != "\0" }) : text
    }
}

/// What an app calls the device it runs on: a random text that it made up once and keeps. Untrusted; all that it can do is to have a
/// device counted by itself, and to have one recognised that has signed in before.
package struct DeviceID: Equatable, Sendable {
    /// In bytes.
    package static let maximumLength = 128

    package let text: String

    /// 1 to 128 visible ASCII characters; `nil` for anything else.
    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            return nil
        }
        self.text = text
    }
}

/// What a device said about itself at sign-in, to show to the user in the list of sessions. Untrusted text.
package struct DeviceDescription: Hashable, Sendable, CustomStringConvertible {
    /// In UTF-8 bytes.
    package static let maximumLength = 256

    package let text: String

    /// Never fails: control characters and line separators become spaces, and what is too long is cut.
    package init(_ text: String) {
        // As nearly every one is.
        if text.utf8.count <= Self.maximumLength, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
            self.text = text
            return
        }
        var kept = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars {
            length += UTF8.width(scalar)
            guard length <= Self.maximumLength else { break }
            kept.append(scalar.breaksLines ? " " : scalar)
        }
        self.text = String(kept)
    }

    package var description: String {
        text
    }
}

/// Whence somebody came, roughly: the first 24 bits of an IPv4 address or the first 48 of an IPv6 address. Enough to tell home from abroad
/// in a list of sessions, and nobody's own address.
package struct NetworkPrefix: Hashable, Sendable {
    private static let length = (v4: 3, v6: 6)

    /// In CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3), such as `203.0.113.0/24`.
    package let text: String
    /// As it is stored: these bits, and none for what is not known.
    let packed: [UInt8]

    /// `nil` for what is no address.
    package init?(of address: String?) {
        switch address.flatMap({ IPAddress($0) }) {
        case .v4(let bits)?: self.init(packed: Self.bytes(UInt64(bits) << 32, Self.length.v4))
        case .v6(let upper, _)?: self.init(packed: Self.bytes(upper, Self.length.v6))
        case nil: return nil
        }
    }

    /// As it was stored; `nil` for anything else.
    init?(packed: [UInt8]) {
        let bits = packed.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } << UInt64(64 - 8 * min(packed.count, 8))
        switch packed.count {
        case Self.length.v4: text = IPAddress.v4(UInt32(bits >> 32)).description + "/24"
        case Self.length.v6: text = IPAddress.v6(bits, 0).description + "/48"
        default: return nil
        }
        self.packed = packed
    }

    private static func bytes(_ bits: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
    }
}

/// How the caller stands with the limits, to be told along with the answer.
package struct LimitStanding: Equatable, Sendable {
    /// Of the budget that is told of: the caller's own with the fewest left, or the one that has refused.
    package let limit: Int
    /// How many more would be allowed now.
    package let remaining: Int
    /// Until all of the budget is free again, or until one more would be allowed if none is now.
    package let reset: Duration
    /// After which one more is free.
    private let interval: Duration

    package init(limit: Int, remaining: Int, reset: Duration, interval: Duration) {
        self.limit = limit
        self.remaining = remaining
        self.reset = reset
        self.interval = interval
    }

    /// After one attempt has been given back.
    var refunded: LimitStanding {
        LimitStanding(
            limit: limit, remaining: min(limit, remaining + 1), reset: max(.zero, reset - interval), interval: interval)
    }
}
