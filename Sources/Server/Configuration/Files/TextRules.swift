import Text

extension String {
    /// The digits at the beginning, and what follows them.
    var splitAfterDigits: (digits: String, rest: String) {
        let end = utf8.firstIndex { !$0.isDigit } ?? endIndex
        return (String(self[..<end]), String(self[end...]))
    }

    /// What is before the first `=` and what is after it; nil after it if there is none. A byte, whatever accents follow it.
    var splitAtEqualsSign: (name: String, value: String?) {
        guard let sign = utf8.firstIndex(of: UInt8(ascii: "=")) else { return (self, nil) }
        return (String(self[..<sign]), String(self[utf8.index(after: sign)...]))
    }

    /// On one line, without anything that would move the cursor of a terminal or turn the direction of writing.
    var printable: String {
        var bytes: [UInt8] = []
        bytes.append(escaping: self, .readable)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// As much of it as a message can hold.
    var excerpt: String {
        guard unicodeScalars.count > 80 else { return printable }
        return String(String.UnicodeScalarView(unicodeScalars.prefix(80))).printable + "…"
    }
}

extension Substring {
    /// Unreserved characters (RFC 3986 §2.3), and not one of the dot segments that clients remove (§5.2.4).
    var isPathSegment: Bool {
        !isEmpty && self != "." && self != ".." && utf8.allSatisfy(\.isUnreserved)
    }
}

extension UInt8 {
    /// An ASCII digit.
    var isDigit: Bool {
        UInt8(ascii: "0") <= self && self <= UInt8(ascii: "9")
    }

    /// RFC 3986 §2.3.
    var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
