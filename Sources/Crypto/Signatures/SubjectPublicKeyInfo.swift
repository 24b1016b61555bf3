import Text

/// Writes a public key as the DER structure of RFC 5280 §4.1.2.7, the form in which OpenSSL reads one.
enum SubjectPublicKeyInfo {
    /// An uncompressed point on P-256 (RFC 5480 §2); both coordinates must have 32 bytes.
    static func p256(x: [UInt8], y: [UInt8]) -> [UInt8] {
        DER.sequence(DER.sequence(identifierOfEC + identifierOfP256) + DER.bitString([0x04] + x + y))
    }

    /// RFC 3279 §2.3.1.
    static func rsa(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        DER.sequence(
            DER.sequence(identifierOfRSA + null) + DER.bitString(DER.sequence(DER.integer(modulus) + DER.integer(exponent))))
    }

    private static let null: [UInt8] = [0x05, 0x00]
    /// 1.2.840.10045.2.1
    private static let identifierOfEC: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    /// 1.2.840.10045.3.1.7
    private static let identifierOfP256: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    /// 1.2.840.113549.1.1.1
    private static let identifierOfRSA: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
}

/// The few forms of DER (X.690 §8) that keys and certificates are made of.
enum DER {
    /// 2.5.4.3
    static let commonName: [UInt8] = [0x06, 0x03, 0x55, 0x04, 0x03]
    /// 1.2.840.113549.1.1.11, without parameters but for null.
    static let rsaWithSHA256: [UInt8] = sequence([0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b, 0x05, 0x00])

    static func sequence(_ content: [UInt8]) -> [UInt8] { element(0x30, content) }

    /// No unused bits in the last byte.
    static func bitString(_ content: [UInt8]) -> [UInt8] {
        element(0x03, [0x00] + content)
    }

    /// A non-negative integer: a zero byte keeps a leading one bit from meaning a sign.
    static func integer(_ magnitude: [UInt8]) -> [UInt8] {
        let isNegativeLooking = magnitude.first.map { $0 & 0x80 != 0 } ?? true
        return element(0x02, isNegativeLooking ? [0x00] + magnitude : magnitude)
    }

    static func set(_ content: [UInt8]) -> [UInt8] { element(0x31, content) }

    /// UTCTime until 2049, GeneralizedTime from then on (RFC 5280 §4.1.2.5).
    static func time(_ seconds: Int64) -> [UInt8] {
        let text = Timestamp(seconds: seconds).iso8601.utf8.prefix(19).filter { (48...57).contains($0) } + [UInt8(ascii: "Z")]
        return seconds < 2_524_608_000 ? element(0x17, Array(text.dropFirst(2))) : element(0x18, text)
    }

    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
