import Testing

@testable import Crypto

@Suite("AES-256-GCM, NIST SP 800-38D")
struct AESGCMTests {
    struct Example: Sendable {
        let key: String
        let nonce: String
        let plaintext: String
        let additionalData: String
        let ciphertext: String
        let tag: String
    }

    /// Test cases 13 to 16 of the algorithm's submission to NIST (McGrew and Viega), the ones with 256-bit keys.
    static let examples = [
        Example(
            key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12), plaintext: "",
            additionalData: "", ciphertext: "", tag: "530f8afbc74536b9a963b4f1c4cb738b"),
        Example(
            key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12),
            plaintext: String(repeating: "00", count: 16), additionalData: "",
            ciphertext: "cea7403d4d606b6e074ec5d3baf39d18", tag: "d0d1c8a799996bf0265b98b5d48ab919"),
        Example(
            key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", nonce: "cafebabefacedbaddecaf888",
            plaintext: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
            additionalData: "",
            ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
            tag: "b094dac5d93471bdec1a502270e3cc6c"),
        Example(
            key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", nonce: "cafebabefacedbaddecaf888",
            plaintext: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
            additionalData: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
            tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
    ]

    @Test(arguments: examples) func `the published examples hold`(example: Example) throws {
        let key = try SymmetricKey(bytes(hex: example.key))
        let nonce = bytes(hex: example.nonce)
        let additionalData = bytes(hex: example.additionalData)
        let plaintext = bytes(hex: example.plaintext)
        let sealed = try AESGCM.seal(plaintext.span, key: key, additionalData: additionalData, nonce: nonce)
        #expect(sealed == nonce + bytes(hex: example.ciphertext) + bytes(hex: example.tag))
        #expect(try AESGCM.open(sealed, key: key, additionalData: additionalData).revealedBytes == plaintext)
    }

    private let key = SymmetricKey.random()
    private let label = Array("signing key".utf8)

    @Test(arguments: [0, 1, 15, 16, 17, 1000]) func `what was sealed opens again`(count: Int) throws {
        let plaintext = SecureRandom.bytes(count)
        let sealed = try AESGCM.seal(plaintext, key: key, additionalData: label)
        #expect(sealed.count == count + 28)
        #expect(try AESGCM.open(sealed, key: key, additionalData: label).revealedBytes == plaintext)
    }

    @Test func `sealing twice gives two different boxes`() throws {
        let first = try AESGCM.seal([1, 2, 3], key: key, additionalData: [])
        let second = try AESGCM.seal([1, 2, 3], key: key, additionalData: [])
        #expect(first.prefix(12) != second.prefix(12))
        #expect(first != second)
    }

    @Test func `a flipped bit anywhere keeps the box shut`() throws {
        let sealed = try AESGCM.seal(Array("secret".utf8), key: key, additionalData: label)
        for bit in 0..<sealed.count * 8 {
            #expect(throws: CryptoError.authenticationFailed) {
                try AESGCM.open(flipping(bit: bit, of: sealed), key: key, additionalData: label)
            }
        }
    }

    @Test func `every truncated box stays shut`() throws {
        let sealed = try AESGCM.seal(Array("secret".utf8), key: key, additionalData: label)
        for length in 0..<sealed.count {
            #expect(throws: CryptoError.authenticationFailed) {
                try AESGCM.open(Array(sealed[..<length]), key: key, additionalData: label)
            }
        }
    }

    @Test func `another key or other additional data keeps the box shut`() throws {
        let sealed = try AESGCM.seal(Array("secret".utf8), key: key, additionalData: label)
        #expect(throws: CryptoError.authenticationFailed) {
            try AESGCM.open(sealed, key: .random(), additionalData: label)
        }
        #expect(throws: CryptoError.authenticationFailed) {
            try AESGCM.open(sealed, key: key, additionalData: Array("mail secret".utf8))
        }
    }

    @Test(arguments: [16, 24, 31, 33]) func `a key of another length is refused`(byteCount: Int) {
        #expect(throws: CryptoError.invalidKey(.wrongLength)) {
            try AESGCM.seal([1], key: .random(byteCount: byteCount), additionalData: [])
        }
        #expect(throws: CryptoError.invalidKey(.wrongLength)) {
            try AESGCM.open([UInt8](repeating: 0, count: 40), key: .random(byteCount: byteCount), additionalData: [])
        }
    }
}
