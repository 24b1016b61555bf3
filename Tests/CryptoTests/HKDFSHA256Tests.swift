import Crypto
import Testing

@Suite("HKDF-SHA-256, RFC 5869 appendix A")
struct HKDFSHA256Tests {
    struct Example: Sendable {
        let key: [UInt8]
        let salt: [UInt8]
        let info: [UInt8]
        let output: String
    }

    static let examples = [
        Example(
            key: [UInt8](repeating: 0x0B, count: 22), salt: [UInt8](0x00...0x0C), info: [UInt8](0xF0...0xF9),
            output: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"),
        Example(
            key: [UInt8](0x00...0x4F), salt: [UInt8](0x60...0xAF), info: [UInt8](0xB0...0xFF),
            output: "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"),
        Example(
            key: [UInt8](repeating: 0x0B, count: 22), salt: [], info: [],
            output: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
    ]

    @Test(arguments: examples) func `the published examples hold`(example: Example) throws {
        let expected = bytes(hex: example.output)
        let derived = try HKDFSHA256.derive(
            from: SymmetricKey(example.key), salt: example.salt, info: example.info, byteCount: expected.count)
        #expect(derived.withBytes { ConstantTime.equal($0, expected.span) })
    }

    @Test func `another info gives another key`() throws {
        let key = try SymmetricKey([UInt8](repeating: 7, count: 32))
        let first = try HKDFSHA256.derive(from: key, info: Array("refresh".utf8))
        let second = try HKDFSHA256.derive(from: key, info: Array("cookie".utf8))
        #expect(first.byteCount == 32)
        #expect(first.withBytes { Array(copying: $0) } != second.withBytes { Array(copying: $0) })
    }

    @Test(arguments: [-1, 0, HKDFSHA256.maximumByteCount + 1])
    func `a length outside the limits is refused`(byteCount: Int) throws {
        let key = try SymmetricKey([1])
        #expect(throws: CryptoError.invalidLength) {
            try HKDFSHA256.derive(from: key, info: [], byteCount: byteCount)
        }
    }

    @Test func `the longest output is given`() throws {
        let derived = try HKDFSHA256.derive(from: SymmetricKey([1]), info: [], byteCount: HKDFSHA256.maximumByteCount)
        #expect(derived.byteCount == 8160)
    }
}
