package import Text

/// An X.509 certificate (RFC 5280 §4.1) that carries an RSA key and says nothing: for verifiers that take keys in this form alone.
package struct Certificate: Sendable {
    /// What the signature covers.
    package let signed: [UInt8]

    /// - Parameter name: its common name, and what its serial number is made of.
    package init(of key: PublicKey, name: String, at now: Timestamp) {
        let subject = DER.sequence(DER.set(DER.sequence(DER.commonName + DER.element(0x0c, Array(name.utf8.prefix(64))))))
        let day: Int64 = 86_400
        // Whole days, so that the certificate of a day is always the same.
        let start = now.seconds / day * day - day
        let validity = DER.sequence(DER.time(start) + DER.time(start + 400 * day))
        let serial = Array(SHA256.hash(name).bytes.prefix(16))
        let keyInfo =
            switch key.components {
            case .rsa(let modulus, let exponent): SubjectPublicKeyInfo.rsa(modulus: modulus, exponent: exponent)
            case .p256(let x, let y): SubjectPublicKeyInfo.p256(x: x, y: y)
            }
        signed = DER.sequence(
            DER.element(0xa0, DER.element(0x02, [0x02])) + DER.element(0x02, [0x01] + serial) + DER.rsaWithSHA256 + subject
                + validity
                + subject + keyInfo)
    }

    /// As PEM (RFC 7468 §5.1).
    package func pem(signature: [UInt8]) -> String {
        let der = DER.sequence(signed + DER.rsaWithSHA256 + DER.element(0x03, [0x00] + signature))
        let text = Array(Base64.encode(der).utf8)
        var lines = ["-----BEGIN CERTIFICATE-----"]
        for start in stride(from: 0, to: text.count, by: 64) {
            lines.append(String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self))
        }
        return (lines + ["-----END CERTIFICATE-----", ""]).joined(separator: "\n")
    }
}

/// The few forms of DER (X.690 §8) that a certificate is made of.
private enum DER {
    /// 2.5.4.3
    static let commonName: [UInt8] = [0x06, 0x03, 0x55, 0x04, 0x03]
    /// 1.2.840.113549.1.1.11, without parameters but for null.
    static let rsaWithSHA256: [UInt8] = sequence([0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b, 0x05, 0x00])

    static func sequence(_ content: [UInt8]) -> [UInt8] { element(0x30, content) }

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
