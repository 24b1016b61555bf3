import Crypto
import Testing

@Suite struct RSAPublicNumbersTests {
    private static let ordinaryExponent: [UInt8] = [1, 0, 1]

    /// Odd, of exactly so many bits, and free of the ROCA fingerprint.
    private static func modulus(bits: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xA5, count: (bits + 7) / 8)
        let shift = UInt8((8 - bits % 8) % 8)
        bytes[0] = 0xFF >> shift
        bytes[bytes.count - 1] |= 1
        return bytes
    }

    @Test(arguments: [
        (2047, KeyDefect.modulusTooShort), (1024, .modulusTooShort), (512, .modulusTooShort), (8193, .modulusTooLong),
        (16384, .modulusTooLong),
    ])
    func `a modulus of a wrong size is refused`(bits: Int, defect: KeyDefect) {
        #expect(throws: CryptoError.invalidKey(defect)) {
            try PublicKey(rsaModulus: Self.modulus(bits: bits), exponent: Self.ordinaryExponent)
        }
    }

    @Test(arguments: [2048, 2049, 3072, 4096, 8192]) func `a modulus of a right size is taken`(bits: Int) throws {
        let key = try PublicKey(rsaModulus: Self.modulus(bits: bits), exponent: Self.ordinaryExponent)
        #expect(key.components == .rsa(modulus: Self.modulus(bits: bits), exponent: Self.ordinaryExponent))
    }

    @Test func `an even, empty or zero-led modulus is refused`() {
        let good = Self.modulus(bits: 2048)
        #expect(throws: CryptoError.invalidKey(.modulusEven)) {
            try PublicKey(rsaModulus: good.dropLast() + [0xA4], exponent: Self.ordinaryExponent)
        }
        for malformed in [[], [0], [0] + good, [0, 0] + good] {
            #expect(throws: CryptoError.invalidKey(.malformed)) {
                try PublicKey(rsaModulus: malformed, exponent: Self.ordinaryExponent)
            }
        }
    }

    @Test(arguments: [
        [1], [2], [4], [1, 0, 0], [0xFF, 0xFF, 0xFF, 0xFE], [1, 0, 0, 0, 1], [UInt8](repeating: 0xFF, count: 256),
    ])
    func `an exponent that is one, even or huge is refused`(exponent: [UInt8]) {
        #expect(throws: CryptoError.invalidKey(.exponentRefused)) {
            try PublicKey(rsaModulus: Self.modulus(bits: 2048), exponent: exponent)
        }
    }

    @Test(arguments: [[], [0], [0, 3], [0, 1, 0, 1]] as [[UInt8]]) func `an empty or zero-led exponent is refused`(
        exponent: [UInt8]
    ) {
        #expect(throws: CryptoError.invalidKey(.malformed)) {
            try PublicKey(rsaModulus: Self.modulus(bits: 2048), exponent: exponent)
        }
    }

    @Test(arguments: [[3], [17], [1, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]])
    func `the usual exponents are taken`(exponent: [UInt8]) throws {
        _ = try PublicKey(rsaModulus: Self.modulus(bits: 2048), exponent: exponent)
    }

    /// The key of Wycheproof's `json_web_key_test.json`, case 7, made by the generator of CVE-2017-15361.
    @Test func `a key with the ROCA fingerprint is refused`() {
        let modulus = bytes(
            hex: "01a9c5a687db8fb2a30f82dff8dda154c291ef27b04b25e185b8ab20c4c6a5f604859fe59ede54a0af7c0e7288800ad7"
                + "193bb731a5bf1e1170d7a1c66930d41ea3eb21dedf7b8af5d42a91c34f72045b96efd57cb182301ddcc26967e5508e9a"
                + "b889986d57e837dfe70f99fc37c498f43c17c3b9b064cf704443d7a033e03a821697aabf30fb29ee7d33b3767965a890"
                + "58e3b39754bd3a1c007d28a23b0cfa79f9d711ac6e4c4b4f77b0634b1ecd68591af03c7d53b62a5f2d91163d4ef4f8f2"
                + "6831ae461ed85ec5f788c5123ffc12c87420fdcfea1d1b4a52c3521824fb3998348739b62a986d8e76b2289bc2eb8bc0"
                + "6d138147851b83a07183d210559f906321")
        #expect(throws: CryptoError.invalidKey(.modulusFactorable)) {
            try PublicKey(rsaModulus: modulus, exponent: Self.ordinaryExponent)
        }
    }

    @Test func `ordinary keys do not show the ROCA fingerprint`() throws {
        for _ in 0..<3 {
            _ = try SigningKey.generate(.rs256())
        }
    }
}
