import Crypto
import Testing

@Suite("HMAC-SHA-256, RFC 4231")
struct HMACSHA256Tests {
    struct Example: Sendable {
        let key: [UInt8]
        let message: [UInt8]
        let code: String
    }

    /// RFC 4231 §4.2 to §4.5, §4.7 and §4.8; §4.6 is about truncation.
    static let examples = [
        Example(
            key: [UInt8](repeating: 0x0B, count: 20), message: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Example(
            key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Example(
            key: [UInt8](repeating: 0xAA, count: 20), message: [UInt8](repeating: 0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Example(
            key: [UInt8](1...25), message: [UInt8](repeating: 0xCD, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        Example(
            key: [UInt8](repeating: 0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        Example(
            key: [UInt8](repeating: 0xAA, count: 131),
            message: Array(
                "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm."
                    .utf8),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    ]

    @Test(arguments: examples) func `the published examples hold`(example: Example) throws {
        let key = try SymmetricKey(example.key)
        #expect(HMACSHA256.authenticate(example.message, key: key).hex == example.code)
        #expect(HMACSHA256.authenticate(example.message.span, key: key).hex == example.code)
        #expect(HMACSHA256.isValid(bytes(hex: example.code), for: example.message, key: key))
    }

    @Test func `the key of one call does not linger into the next`() throws {
        let first = try SymmetricKey(Array("first".utf8))
        let second = try SymmetricKey(Array("second".utf8))
        let expected = HMACSHA256.authenticate("message", key: first)
        #expect(HMACSHA256.authenticate("message", key: second) != expected)
        #expect(HMACSHA256.authenticate("message", key: first) == expected)
    }

    @Test func `a flipped bit or a truncated code is not valid`() throws {
        let key = try SymmetricKey(Array("key".utf8))
        let message = Array("message".utf8)
        let code = HMACSHA256.authenticate(message, key: key).bytes
        #expect(HMACSHA256.isValid(code, for: message, key: key))
        for bit in 0..<256 {
            #expect(!HMACSHA256.isValid(flipping(bit: bit, of: code), for: message, key: key))
        }
        for length in 0..<32 {
            #expect(!HMACSHA256.isValid(Array(code[..<length]), for: message, key: key))
        }
        #expect(!HMACSHA256.isValid(code + [0], for: message, key: key))
    }

    @Test func `an empty message has a code`() throws {
        let key = try SymmetricKey(Array("key".utf8))
        #expect(
            HMACSHA256.authenticate([], key: key).hex == "5d5d139563c95b5967b9bd9a8c9b233a9dedb45072794cd232dc1b74832607d0")
    }
}
