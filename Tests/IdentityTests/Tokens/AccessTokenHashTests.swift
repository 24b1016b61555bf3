import Identity
import Testing
import Text

@Suite struct AccessTokenHashTests {
    /// The first 18 bytes of the SHA-256 of "abc" (FIPS 180-4).
    private let bytes = Hex.decode("ba7816bf8f01cfea414140de5dae2223b003") ?? []

    @Test func `a token is known by the first 144 bits of its SHA-256`() {
        #expect(AccessTokenHash(of: "abc").bytes == bytes)
        #expect(AccessTokenHash(of: Array("abc".utf8).span).bytes == bytes)
        #expect(AccessTokenHash(of: "abc").key == "at:\(Base64URL.encode(bytes))")
        #expect(AccessTokenHash(bytes: bytes) == AccessTokenHash(of: "abc"))
    }

    @Test(arguments: ["ab", "abcd", "ABC", "abc\0", "abc\r\n", " abc", "ａbc", "*", "{abc}", "\r\nFLUSHALL\r\n"])
    func `whatever else is presented names another key, of the same form`(text: String) {
        let hash = AccessTokenHash(of: text)
        #expect(hash.bytes != bytes)
        #expect(hash.key.utf8.count == 27)
        #expect(Base64URL.decode(hash.text) == hash.bytes)
        #expect(AccessTokenHash(bytes: hash.bytes) == hash)
    }

    @Test func `texts that Unicode deems equivalent are different tokens`() {
        #expect(AccessTokenHash(of: "\u{E9}") != AccessTokenHash(of: "e\u{301}"))
    }

    @Test(arguments: [0, 17, 19, 32])
    func `a stored hash has its one length`(count: Int) {
        #expect(AccessTokenHash(bytes: [UInt8](repeating: 7, count: count)) == nil)
    }
}
