package import Foundation

/// The few structures of DER (X.690) that libraries want keys and signatures in.
package enum DER {
    /// SubjectPublicKeyInfo (RFC 5280 §4.1).
    package static func subjectPublicKeyInfo(_ key: PublicKey) -> Data {
        switch key {
        case .p256(let x, let y):
            sequence(p256Algorithm + element(0x03, Data([0x00, 0x04]) + x + y))
        case .rsa(let modulus, let exponent):
            sequence(rsaAlgorithm + element(0x03, Data([0x00]) + rsaPublicKey(modulus, exponent)))
        }
    }

    /// RSAPublicKey (RFC 8017 A.1.1).
    package static func rsaPublicKey(_ modulus: Data, _ exponent: Data) -> Data {
        sequence(integer(modulus) + integer(exponent))
    }

    /// ECDSA-Sig-Value (RFC 3279 §2.2.3) of R and S side by side. Nil unless they have 32 bytes each.
    package static func ecdsaSignature(_ raw: Data) -> Data? {
        guard raw.count == 64 else { return nil }
        return sequence(integer(raw.prefix(32)) + integer(raw.suffix(32)))
    }

    /// 2048 to 8192 bits.
    package static func isAcceptable(modulus: Data) -> Bool {
        (256...1024).contains(modulus.drop { $0 == 0 }.count)
    }

    private static let p256Algorithm = sequence(
        Data([0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01])
            + Data([0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]))

    private static let rsaAlgorithm = sequence(
        Data([0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00]))

    private static func sequence(_ content: Data) -> Data { element(0x30, content) }

    /// Unsigned, so a first bit that is set has a zero byte before it.
    private static func integer(_ bytes: Data) -> Data {
        var digits = Data(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: digits.startIndex) }
        return element(0x02, digits)
    }

    private static func element(_ tag: UInt8, _ content: Data) -> Data {
        var data = Data([tag])
        if content.count < 0x80 {
            data.append(UInt8(content.count))
        } else {
            var length = Data()
            var rest = content.count
            while rest > 0 {
                length.insert(UInt8(rest & 0xff), at: 0)
                rest >>= 8
            }
            data.append(0x80 | UInt8(length.count))
            data.append(length)
        }
        data.append(content)
        return data
    }
}
