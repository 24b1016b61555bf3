import Crypto
import Identity
import Testing
import Text

@Suite struct PresentedRefreshTokenTests {
    private let key: SessionTokenKey
    private let text: String

    init() throws {
        key = try SessionTokenKey(try Sample.masterKey())
        text = RefreshToken(Sample.sessionID, generation: 10, salt: Sample.salt, key: key).text.revealedText
    }

    private func verified(_ text: String) -> RefreshToken? {
        PresentedRefreshToken(text)?.verified(salt: Sample.salt, key: key)
    }

    private var parts: (session: String, generation: String, mac: String) {
        let parts = text.dropFirst(4).split(separator: ".").map { String($0) }
        return (parts[0], parts[1], parts[2])
    }

    @Test(arguments: [0, 1, 9, 10, 4_294_967_294, 4_294_967_295] as [UInt32])
    func `what was minted is verified`(generation: UInt32) throws {
        let token = RefreshToken(Sample.sessionID, generation: generation, salt: Sample.salt, key: key)
        let accepted = try #require(verified(token.text.revealedText))
        #expect(accepted.sessionID == Sample.sessionID)
        #expect(accepted.generation == generation)
        #expect(accepted.text.revealedText == token.text.revealedText)
    }

    @Test func `every truncation is refused`() {
        for length in 0..<text.utf8.count {
            #expect(verified(String(text.prefix(length))) == nil, "\(length) bytes")
            #expect(verified(String(text.suffix(length))) == nil, "the last \(length) bytes")
        }
    }

    @Test(arguments: ["A", "=", ".", " ", "\n", "\r\n", "\0", "..", ".x", "%", "\u{301}", "é"])
    func `every extension is refused`(extra: String) {
        #expect(verified(text + extra) == nil)
        #expect(verified(extra + text) == nil)
    }

    @Test func `every flipped letter case is refused`() {
        for index in text.indices {
            let flipped = text[index].isUppercase ? text[index].lowercased() : text[index].uppercased()
            guard flipped != String(text[index]) else { continue }
            let forged = text.replacingCharacter(at: index, with: flipped)
            #expect(verified(forged) == nil, "at \(text.distance(from: text.startIndex, to: index))")
        }
    }

    @Test func `every other character at every place is refused`() {
        for index in text.indices {
            for replacement in ["A", "B", "z", "0", "9", "-", "_", ".", "+", "/", "=", " ", "\0"]
            where replacement != String(text[index]) {
                #expect(verified(text.replacingCharacter(at: index, with: replacement)) == nil)
            }
        }
    }

    @Test(arguments: [
        "010", "0010", "+10", "-10", " 10", "10 ", "1_0", "1e1", "0x0a", "10.", "٠١", "１０", "", "4294967296",
        "99999999999999999999",
    ])
    func `a generation in another spelling is refused`(generation: String) {
        #expect(PresentedRefreshToken("kdr_\(parts.session).\(generation).\(parts.mac)") == nil)
    }

    @Test func `base64 in another spelling is refused`() {
        // The last of the 22 characters, a "w", carries two bits of the id; its neighbours differ in the four that must be zero.
        #expect(parts.session.last == "w")
        for character in "xyz0123456789-_" {
            #expect(PresentedRefreshToken("kdr_\(parts.session.dropLast())\(character).10.\(parts.mac)") == nil)
        }
        #expect(PresentedRefreshToken("kdr_\(parts.session)==.10.\(parts.mac)") == nil)
        #expect(PresentedRefreshToken("kdr_\(parts.session).10.\(parts.mac)=") == nil)
    }

    @Test(arguments: ["kda_", "kdc_", "kds_", "KDR_", "kdr", "", " kdr_", "kdr__", "kdr_."])
    func `another prefix is refused`(prefix: String) {
        #expect(verified(prefix + text.dropFirst(4)) == nil)
    }

    @Test(
        arguments: [
            "", ".", "..", "kdr_", "kdr_..", "kdr_...", "null", "*", "{hash}", "\r\nFLUSHALL\r\n", "*1\r\n$8\r\nFLUSHALL\r\n",
            "kdr_AAECAwQFBgcICQoLDA0ODw.10", "kdr_AAECAwQFBgcICQoLDA0ODw\0.10.x",
        ]
    )
    func `garbage is refused`(text: String) {
        #expect(PresentedRefreshToken(text) == nil)
    }

    @Test(arguments: [4_096, 4_097, 1_000_000])
    func `long input is refused`(length: Int) {
        #expect(PresentedRefreshToken("kdr_" + String(repeating: ".", count: length - 4)) == nil)
    }

    @Test func `a token of another generation, session, salt or key is refused`() throws {
        let otherSession = SessionID(random: Array(1...16))
        let otherSalt = SessionSalt(random: Array(1...16))
        let otherKey = try SessionTokenKey(try Sample.masterKey(2))
        #expect(verified("kdr_\(parts.session).11.\(parts.mac)") == nil)
        #expect(verified("kdr_\(otherSession).10.\(parts.mac)") == nil)
        let presented = try #require(PresentedRefreshToken(text))
        #expect(presented.verified(salt: Sample.salt, key: key) != nil)
        #expect(presented.verified(salt: otherSalt, key: key) == nil)
        #expect(presented.verified(salt: Sample.salt, key: otherKey) == nil)
    }

    @Test func `a cookie's mac makes no refresh token`() {
        let mac = key.mac(.cookie, Sample.sessionID, generation: 10, salt: Sample.salt)
        #expect(verified("kdr_\(parts.session).10.\(Base64URL.encode(mac.bytes))") == nil)
    }
}

extension String {
    fileprivate func replacingCharacter(at index: Index, with replacement: String) -> String {
        String(self[..<index]) + replacement + String(self[self.index(after: index)...])
    }
}
