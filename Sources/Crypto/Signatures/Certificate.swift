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
        let der = DER.sequence(signed + DER.rsaWithSHA256 + DER.bitString(signature))
        let text = Array(Base64.encode(der).utf8)
        var lines = ["-----BEGIN CERTIFICATE-----"]
        for start in stride(from: 0, to: text.count, by: 64) {
            lines.append(String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self))
        }
        return (lines + ["-----END CERTIFICATE-----", ""]).joined(separator: "\n")
    }
}
