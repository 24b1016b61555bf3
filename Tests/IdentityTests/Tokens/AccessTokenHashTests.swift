import Identity
import Testing

@Suite struct AccessTokenHashTests {
    /// SHA-256 of "abc" (FIPS 180-4).
    private let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test func `a token is known by its SHA-256`() {
        #expect(AccessTokenHash(of: "abc").hex == hex)
        #expect(AccessTokenHash(of: Array("abc".utf8).span).hex == hex)
        #expect(AccessTokenHash(of: "abc").key == "at:\(hex)")
    }

    @Test(arguments: ["ab", "abcd", "ABC", "abc\0", "abc\r\n", " abc", "ａbc", "*", "{abc}", "\r\nFLUSHALL\r\n"])
    func `whatever else is presented names another key, of the same form`(text: String) {
        let hash = AccessTokenHash(of: text)
        #expect(hash.hex != hex)
        #expect(hash.key.utf8.count == 67)
        #expect(hash.key.dropFirst(3).allSatisfy { $0.isHexDigit })
    }

    @Test func `texts that Unicode deems equivalent are different tokens`() {
        #expect(AccessTokenHash(of: "\u{E9}") != AccessTokenHash(of: "e\u{301}"))
    }

    @Test func `a stored hash is read in its one spelling only`() {
        #expect(AccessTokenHash(hex: hex) == AccessTokenHash(of: "abc"))
        #expect(AccessTokenHash(hex: hex.uppercased()) == nil)
        #expect(AccessTokenHash(hex: String(hex.dropLast())) == nil)
        #expect(AccessTokenHash(hex: hex + "00") == nil)
        #expect(AccessTokenHash(hex: "") == nil)
    }
}
