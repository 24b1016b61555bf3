import Testing
import Text

@testable import Identity

@Suite struct SessionCookieTests {
    private func key() throws -> SessionTokenKey { try SessionTokenKey(try Sample.masterKey()) }

    private func cookie(_ use: CookieUse = .session) throws -> String {
        SessionCookie(Sample.sessionID, use: use, salt: Sample.salt, key: try key()).text.revealedText
    }

    private func isGenuine(_ text: String, _ use: CookieUse = .session, salt: SessionSalt = Sample.salt) throws -> Bool {
        let key = try key()
        return PresentedSessionCookie(SecretString(text))?.isGenuine(use: use, salt: salt, key: key) ?? false
    }

    @Test func `a cookie names its session and proves it`() throws {
        let text = try cookie()
        #expect(text.hasPrefix("kdc_\(Sample.sessionID.text)."))
        #expect(text.utf8.count == PresentedSessionCookie.length)
        #expect(text.utf8.allSatisfy { Unicode.Scalar($0).properties.isAlphabetic || "0123456789-_.".utf8.contains($0) })
        #expect(PresentedSessionCookie(SecretString(text))?.sessionID == Sample.sessionID)
        #expect(try isGenuine(text))
        #expect(try cookie() == text)
    }

    @Test func `every other spelling, and every prefix, is none`() throws {
        let text = try cookie()
        for length in 0..<text.utf8.count { #expect(try !isGenuine(String(text.prefix(length)))) }
        for wrong in [
            text + "A", text + "=", " " + text, "kdr" + text.dropFirst(3), text.uppercased(), "\"\(text)\"",
            text.replacing(".", with: "-"), String(text.dropLast()) + (text.hasSuffix("A") ? "B" : "A"),
        ] { #expect(try !isGenuine(wrong), "\(wrong)") }
    }

    @Test func `a cookie is good for its use, its session's salt and its key alone`() throws {
        #expect(try !isGenuine(cookie(.session), .restAuth))
        #expect(try !isGenuine(cookie(.restAuth), .session))
        #expect(try isGenuine(cookie(.restAuth), .restAuth))
        #expect(try !isGenuine(cookie(), salt: SessionSalt(random: Array(0..<16))))
        let other = try SessionTokenKey(try Sample.masterKey(2))
        let presented = try #require(PresentedSessionCookie(SecretString(try cookie())))
        #expect(!presented.isGenuine(use: .session, salt: Sample.salt, key: other))
    }

    @Test func `neither the mac of a refresh token nor a form token makes a cookie`() throws {
        let key = try key()
        let refresh = RefreshToken(Sample.sessionID, generation: 0, salt: Sample.salt, key: key).text.revealedText
        let mac = try #require(refresh.split(separator: ".").last)
        #expect(try !isGenuine("kdc_\(Sample.sessionID.text).\(mac)"))
        let form = FormToken(Sample.sessionID, salt: Sample.salt, key: key)
        #expect(try !isGenuine("kdc_\(Sample.sessionID.text).\(form.text.revealedText)"))
    }

    @Test func `a form token is the session's own`() throws {
        let token = FormToken(Sample.sessionID, salt: Sample.salt, key: try key())
        #expect(token.matches(token.text))
        let other = FormToken(Sample.sessionID, salt: SessionSalt(random: Array(0..<16)), key: try key())
        for wrong in [
            other.text.revealedText, "", "x", token.text.revealedText + "A", String(token.text.revealedText.dropLast()),
        ] {
            #expect(!token.matches(SecretString(wrong)))
        }
        #expect(!"\(token)".contains(token.text.revealedText))
    }
}
