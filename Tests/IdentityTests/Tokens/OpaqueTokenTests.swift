import Identity
import Testing
import Text

@Suite struct OpaqueTokenTests {
    @Test func `a token is its prefix and 256 bits`() {
        let token = OpaqueToken(random: [UInt8](repeating: 0xFF, count: 32))
        #expect(token.text.revealedText == "kda_" + String(repeating: "_", count: 42) + "8")
        #expect(token.hash == AccessTokenHash(of: token.text.revealedText))
    }

    @Test func `a token does not print`() {
        let token = OpaqueToken(random: [UInt8](repeating: 0xFF, count: 32))
        #expect(!"\(token)".contains("kda_"))
        #expect(!String(reflecting: token).contains("kda_"))
    }
}
