import COpenSSL
import Crypto
import Testing

/// What a verifier that looks at the decoded padding too loosely would accept (RFC 8017 §8.2.2; CVE-2006-4339 and its kin).
@Suite struct RSAForgeryTests {
    private static let key = Result { try SigningKey.generate(.rs256()) }
    private static let message = Array("message".utf8)
    private static let digest = SHA256.hash(message).bytes

    /// The DER of `DigestInfo` before the digest: SHA-256 with NULL parameters (RFC 8017 §9.2, note 1).
    private static let prefix = bytes(hex: "3031300d060960864801650304020105000420")

    /// Block type, padding, separator and content, filled up with padding to the length of the modulus.
    private static func encoded(
        type: UInt8 = 1, padding: UInt8 = 0xFF, separator: [UInt8] = [0], content: [UInt8]
    ) -> [UInt8] {
        let count = 256 - 2 - separator.count - content.count
        return [0, type] + [UInt8](repeating: padding, count: count) + separator + content
    }

    static let forgeries: [(String, [UInt8])] = [
        ("block type 0", encoded(type: 0, content: prefix + digest)),
        ("block type 2", encoded(type: 2, content: prefix + digest)),
        ("padding of zeros", encoded(padding: 0, content: prefix + digest)),
        ("padding of other bytes", encoded(padding: 0xFE, content: prefix + digest)),
        ("one wrong padding byte", flipping(bit: 8 * 100, of: encoded(content: prefix + digest))),
        ("no separator", encoded(separator: [0xFF], content: prefix + digest)),
        ("two separators", encoded(separator: [0, 0], content: prefix + digest)),
        ("leading byte not zero", [0x01, 0x01] + encoded(content: prefix + digest)[2...]),
        (
            "garbage after the digest",
            [0, 1] + [UInt8](repeating: 0xFF, count: 8) + [0] + prefix + digest + [UInt8](repeating: 0x42, count: 194)
        ),
        ("no padding at all", [0, 1, 0] + prefix + digest + [UInt8](repeating: 0, count: 202)),
        ("no parameters", encoded(content: bytes(hex: "302f300b0609608648016503040201") + [4, 32] + digest)),
        ("parameters of garbage", encoded(content: bytes(hex: "3033300f0609608648016503040201" + "0502abcd" + "0420") + digest)),
        ("long form lengths", encoded(content: bytes(hex: "308131300d060960864801650304020105000420") + digest)),
        ("indefinite length", encoded(content: bytes(hex: "3080300d060960864801650304020105000420") + digest + [0, 0])),
        ("the identifier of SHA-1", encoded(content: bytes(hex: "302d300906052b0e03021a05000420") + digest)),
        ("the identifier of SHA-384", encoded(content: bytes(hex: "3031300d060960864801650304020205000420") + digest)),
        ("the identifier of SHA-512", encoded(content: bytes(hex: "3031300d060960864801650304020305000420") + digest)),
        ("the bare digest", encoded(content: digest)),
        ("the digest of another message", encoded(content: prefix + SHA256.hash("other").bytes)),
        ("a truncated digest", encoded(content: bytes(hex: "3030300d06096086480165030402010500041f") + digest.dropLast())),
        ("an empty digest", encoded(content: bytes(hex: "3011300d060960864801650304020105000400"))),
        ("a digest with a byte too many", encoded(content: bytes(hex: "3032300d060960864801650304020105000421") + digest + [0])),
        ("no digest at all", encoded(content: [])),
    ]

    @Test func `the one right encoding is accepted, so that the others are refused for what they are`() throws {
        let signature = try Self.rawSignature(Self.encoded(content: Self.prefix + Self.digest))
        #expect(try Self.key.get().publicKey.verify(signature, over: Self.message, algorithm: .rs256))
        #expect(try Self.key.get().sign(Self.message) == signature)
    }

    @Test(arguments: forgeries) func `a signature over another encoding is refused`(name: String, encoded: [UInt8]) throws {
        #expect(encoded.count == 256)
        let signature = try Self.rawSignature(encoded)
        #expect(try !Self.key.get().publicKey.verify(signature, over: Self.message, algorithm: .rs256), "\(name)")
        #expect(try !Self.key.get().publicKey.verify(signature, over: Self.message, algorithm: .ps256), "\(name)")
    }

    @Test func `a signature that is not below the modulus is refused`() throws {
        let key = try Self.key.get()
        guard case .rsa(let modulus, _) = key.publicKey.components else {
            Issue.record("an RS256 key has a modulus")
            return
        }
        for signature in [modulus, [UInt8](repeating: 0xFF, count: 256), [UInt8](repeating: 0, count: 256)] {
            #expect(!key.publicKey.verify(signature, over: Self.message, algorithm: .rs256))
        }
        // Adding the modulus leaves the value unchanged in the arithmetic, but such a signature has no right to exist.
        var found = 0
        for number in 0..<60 {
            let message = Array("message \(number)".utf8)
            guard let larger = try Self.sum(key.sign(message), modulus) else { continue }
            found += 1
            #expect(!key.publicKey.verify(larger, over: message, algorithm: .rs256))
        }
        #expect(found > 0)
    }

    /// `nil` when the sum has more bytes than the numbers.
    private static func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8]? {
        var result = left
        var carry = 0
        for index in left.indices.reversed() {
            let digit = Int(left[index]) + Int(right[index]) + carry
            result[index] = UInt8(digit & 0xFF)
            carry = digit >> 8
        }
        return carry == 0 ? result : nil
    }

    /// The private operation on a block of the caller's making, which the code under test never does.
    private static func rawSignature(_ block: [UInt8]) throws -> [UInt8] {
        let der = try key.get().exportPKCS8().revealedBytes
        let pointer = der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_AutoPrivateKey(nil, &position, buffer.count)
        }
        let privateKey = try #require(pointer)
        defer { EVP_PKEY_free(privateKey) }
        let context = try #require(EVP_PKEY_CTX_new(privateKey, nil))
        defer { EVP_PKEY_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 256)
        var length = signature.count
        try #require(EVP_PKEY_sign_init(context) == 1)
        try #require(EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1)
        try #require(EVP_PKEY_sign(context, &signature, &length, block, block.count) == 1)
        return signature
    }
}
