import Text

/// A form as it is sent to a provider (`application/x-www-form-urlencoded`): everything but RFC 3986's unreserved characters escaped.
struct FormBody {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ name: String, _ value: SecretString) {
        append(name, value.revealedText)
    }

    mutating func append(_ name: String, _ value: String) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        escape(name)
        bytes.append(UInt8(ascii: "="))
        escape(value)
    }

    private mutating func escape(_ text: String) {
        for byte in text.utf8 {
            if Self.isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes += Hex.encodedBytes([byte].span).map(Self.upper)
            }
        }
    }

    private static func upper(_ digit: UInt8) -> UInt8 {
        digit >= UInt8(ascii: "a") ? digit - 0x20 : digit
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
