/// How much of a string a writer escapes.
package enum JSONEscaping: Sendable {
    /// What RFC 8259 §7 demands: the quote, the backslash and the control characters below U+0020.
    case required
    /// Also everything that can deceive who reads the text in a terminal, a pager or a log viewer: DEL, the C1 controls, the
    /// line and paragraph separators, and the invisible characters that change the direction of text.
    case readable
}

extension [UInt8] {
    /// Appends the text with escapes but without quotes. Text that needs none is copied in one go.
    package mutating func append(escaping text: String, _ escaping: JSONEscaping = .required) {
        let done: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            if unsafe bytes.needsNoEscape(escaping) {
                unsafe append(contentsOf: bytes)
            } else {
                for scalar in text.unicodeScalars { append(escaping: scalar, escaping) }
            }
        }
        if done == nil {
            for scalar in text.unicodeScalars { append(escaping: scalar, escaping) }
        }
    }

    private mutating func append(escaping scalar: Unicode.Scalar, _ escaping: JSONEscaping) {
        switch scalar {
        case "\"": append(contentsOf: "\\\"".utf8)
        case "\\": append(contentsOf: "\\\\".utf8)
        case "\u{08}": append(contentsOf: "\\b".utf8)
        case "\u{09}": append(contentsOf: "\\t".utf8)
        case "\u{0A}": append(contentsOf: "\\n".utf8)
        case "\u{0C}": append(contentsOf: "\\f".utf8)
        case "\u{0D}": append(contentsOf: "\\r".utf8)
        case "\u{00}"..<"\u{20}":
            append(unicodeEscape: scalar)
        default:
            if escaping == .readable, scalar.isDeceptive {
                append(unicodeEscape: scalar)
            } else {
                append(contentsOf: scalar.utf8)
            }
        }
    }

    private mutating func append(unicodeEscape scalar: Unicode.Scalar) {
        append(contentsOf: "\\u".utf8)
        for shift in stride(from: 12, through: 0, by: -4) { append(Hex.digit(UInt8(scalar.value >> UInt32(shift) & 15))) }
    }
}

extension Unicode.Scalar {
    /// All of them lie in the basic plane, so that one `\u` escape holds each.
    fileprivate var isDeceptive: Bool {
        switch value {
        case 0x7F...0x9F, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true
        default: false
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Conservative for `readable`: every byte beyond ASCII takes the careful way.
    fileprivate func needsNoEscape(_ escaping: JSONEscaping) -> Bool {
        let bytes = UnsafeRawBufferPointer(self)
        var index = 0
        while index &+ 8 <= count {
            let eight = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard eight.needsNoEscape(escaping) else { return false }
            index &+= 8
        }
        let end: UInt8 = escaping == .required ? 0xFF : 0x7E
        return unsafe self[index...].allSatisfy {
            $0 >= 0x20 && $0 <= end && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
    }
}

extension UInt64 {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highest: UInt64 = 0x8080_8080_8080_8080

    /// The same of eight bytes at once.
    fileprivate func needsNoEscape(_ escaping: JSONEscaping) -> Bool {
        let controls = (self &- (Self.ones &* 0x20)) & ~self
        let escaped = controls | zeros(of: UInt8(ascii: "\"")) | zeros(of: UInt8(ascii: "\\"))
        let further = escaping == .required ? 0 : self | zeros(of: 0x7F)
        return (escaped | further) & Self.highest == 0
    }

    /// The highest bit of a byte is set if one of the eight is this byte.
    private func zeros(of byte: UInt8) -> UInt64 {
        let differences = self ^ (Self.ones &* UInt64(byte))
        return (differences &- Self.ones) & ~differences
    }
}
