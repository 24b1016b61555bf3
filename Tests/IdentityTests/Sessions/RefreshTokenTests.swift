import Identity
import Testing
import Text

@Suite struct RefreshTokenTests {
    @Test func `a token is written with its session, generation and mac`() throws {
        let token = RefreshToken(
            Sample.sessionID, generation: 7, salt: Sample.salt, key: try SessionTokenKey(try Sample.masterKey())
        )
        let parts = token.text.revealedText.split(separator: ".")
        #expect(parts.count == 3)
        #expect(parts[0] == "kdr_AAECAwQFBgcICQoLDA0ODw")
        #expect(parts[1] == "7")
        #expect(parts[2].utf8.count == 43)
    }

    @Test func `the same parts give the same token, which is how a successor is replayed`() throws {
        let key = try SessionTokenKey(try Sample.masterKey())
        let tokens = (0..<2).map { _ in RefreshToken(Sample.sessionID, generation: 7, salt: Sample.salt, key: key) }
        #expect(tokens[0].text.revealedText == tokens[1].text.revealedText)
    }

    @Test func `a token does not print`() throws {
        let token = RefreshToken(
            Sample.sessionID, generation: 7, salt: Sample.salt, key: try SessionTokenKey(try Sample.masterKey())
        )
        #expect(!"\(token)".contains("kdr_"))
        #expect(!String(reflecting: token).contains("kdr_"))
    }
}
