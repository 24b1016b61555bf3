import Identity
import Testing
import Text

@Suite struct PasswordTests {
    private func chosen(_ text: String, email: String? = nil) throws -> String {
        try Password(chosen: text, for: email.map { try EmailAddress($0) }).secret.revealedText
    }

    private func expect(_ reason: InputProblem.Reason, of text: String, email: String? = nil) {
        #expect(throws: InputProblem(.password, reason)) { try chosen(text, email: email) }
    }

    @Test(arguments: ["", "1", "seven77"])
    func `a new password is not shorter than eight`(text: String) {
        expect(.tooShort(minimum: 8), of: text)
    }

    @Test(arguments: [
        "eight8ch", "  eight ", "ünïcödé!", "😀😀😀😀", "e\u{301}e\u{301}e\u{301}e\u{301}", "correct horse battery staple",
    ])
    func `eight as the client counts them are enough`(text: String) throws {
        #expect(try Password(presented: text).secret.byteCount == chosen(text).utf8.count)
    }

    @Test func `a presented password may be short, since it is only compared`() throws {
        #expect(try Password(presented: "").secret.isEmpty)
        #expect(try Password(presented: "old").secret.revealedText == "old")
    }

    @Test(arguments: [1_023, 1_024])
    func `a password within the limit counts as a whole`(length: Int) throws {
        #expect(try chosen(String(repeating: "x", count: length - 1) + "y").utf8.count == length)
    }

    @Test func `a longer password is refused`() {
        for text in [
            String(repeating: "x", count: 1_025), String(repeating: "é", count: 513), String(repeating: "x", count: 1_000_000),
        ] {
            expect(.tooLong(maximum: 1_024), of: text)
            #expect(throws: InputProblem(.password, .tooLong(maximum: 1_024))) { try Password(presented: text) }
        }
    }

    @Test func `composed and decomposed text is one password, with one limit`() throws {
        #expect(try Array(chosen("Åse's pässword").utf8) == Array(chosen("A\u{30A}se's pa\u{308}ssword").utf8))
        let decomposed = String(repeating: "e\u{301}", count: 512)
        #expect(try Array(chosen(decomposed).utf8) == Array(chosen(String(repeating: "\u{E9}", count: 512)).utf8))
    }

    @Test func `nothing is trimmed or folded`() throws {
        #expect(try chosen(" Padded Password ") == " Padded Password ")
    }

    @Test func `a password does not end at NUL`() {
        expect(.forbiddenCharacter, of: "correct\0anything")
        #expect(throws: InputProblem(.password, .forbiddenCharacter)) { try Password(presented: "correct\0anything") }
    }

    @Test(arguments: [
        "password", "Password1", "12345678", "QWERTYUIOP", "iloveyou", "P@ssw0rd", "sunshine", "11111111", "letmein123",
    ])
    func `what everybody tries first is refused`(text: String) {
        expect(.commonPassword, of: text)
    }

    @Test(arguments: ["kurobe.dam@example.com", "Kurobe.Dam@Example.com", "KUROBE.DAM", "kurobe.dam", "kurobe.dam@EXAMPLE.COM"])
    func `the e-mail address is no password, nor is its local part`(text: String) {
        expect(.passwordEqualsEmail, of: text, email: "Kurobe.Dam@example.com")
    }

    @Test func `an international address is compared in either spelling`() {
        expect(.passwordEqualsEmail, of: "x@bücher.example", email: "x@bücher.example")
        expect(.passwordEqualsEmail, of: "x@xn--bcher-kva.example", email: "x@bücher.example")
    }

    @Test func `a password that contains the address is allowed`() throws {
        #expect(try chosen("kurobe.dam 63", email: "kurobe.dam@example.com") == "kurobe.dam 63")
    }

    @Test func `a password does not print`() throws {
        let password = try Password(presented: "hunter2hunter2")
        #expect(!"\(password)".contains("hunter"))
        #expect(!String(reflecting: password).contains("hunter"))
    }
}
