import CUnicode
import Glibc

/// The few operations on international text that need the tables of libunistring and libidn2.
package enum UnicodeText {
    /// Normalization form C (Unicode Standard Annex #15). Text with NUL gives `nil`, as does a lack of memory.
    package static func nfc(_ text: String) -> String? {
        guard !text.utf8.contains(0) else { return nil }
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        let bytes = [UInt8](text.utf8)
        var length = 0
        guard let normalized = unsafe kidoban_nfc(bytes, bytes.count, &length) else { return nil }
        defer { unsafe free(normalized) }
        return unsafe String(decoding: UnsafeBufferPointer(start: normalized, count: length), as: UTF8.self)
    }

    /// The ASCII form of a domain name, in lower case: IDNA 2008 with the mapping of Unicode Technical Standard #46 in its
    /// non-transitional form and only letters, digits and hyphens (STD 3).
    ///
    /// `nil` for a name that has none, for empty labels, for labels over 63 and names over 253 bytes, and for text with NUL.
    package static func asciiDomain(_ text: String) -> String? {
        if let plain = plainDomain(text) { return plain }
        guard !text.isEmpty, !text.utf8.contains(0), text.utf8.count <= 1024 else { return nil }
        // libidn2 deletes the characters that STD 3 forbids where it should refuse them: `a_b.example` would become `ab.example`.
        // So the strict result counts only if the lenient one, which keeps them, is the same.
        let lenient = IDN2_NONTRANSITIONAL.rawValue | IDN2_NFC_INPUT.rawValue
        let strict = lenient | IDN2_USE_STD3_ASCII_RULES.rawValue
        guard let name = convert(text, Int32(strict)), name == convert(text, Int32(lenient)) else { return nil }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= 253, labels.allSatisfy({ (1...63).contains($0.utf8.count) }) else { return nil }
        return name
    }

    /// A name of ASCII letters and digits, with single hyphens and dots between them, which the standard only turns to lower case.
    private static func plainDomain(_ text: String) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var labelLength = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                bytes.append(byte)
                labelLength += 1
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                bytes.append(byte | 0x20)
                labelLength += 1
            case UInt8(ascii: "-"), UInt8(ascii: "."):
                guard let last = bytes.last, last != UInt8(ascii: "-"), last != UInt8(ascii: ".") else { return nil }
                bytes.append(byte)
                labelLength = byte == UInt8(ascii: ".") ? 0 : labelLength + 1
            default: return nil
            }
            guard labelLength <= 63, bytes.count <= 253 else { return nil }
        }
        guard let last = bytes.last, last != UInt8(ascii: "-"), last != UInt8(ascii: ".") else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func convert(_ text: String, _ flags: Int32) -> String? {
        var output: UnsafeMutablePointer<CChar>?
        guard unsafe idn2_to_ascii_8z(text, &output, flags) == IDN2_OK.rawValue, let pointer = unsafe output else { return nil }
        defer { unsafe idn2_free(pointer) }
        return unsafe String(cString: pointer).lowercased()
    }
}
