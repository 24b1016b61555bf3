import Identity
import Testing

@Suite struct SessionSaltTests {
    @Test func `a salt is read as it was stored`() throws {
        let read = try #require(SessionSalt(stored: Sample.salt.storedText))
        #expect(read.storedText == Sample.salt.storedText)
    }

    @Test(arguments: ["", "AAECAwQFBgcICQoLDA0OD", "AAECAwQFBgcICQoLDA0ODwAA", "AAECAwQFBgcICQoLDA0ODx"])
    func `damage is noticed`(text: String) {
        #expect(SessionSalt(stored: text) == nil)
    }

    @Test func `a salt does not print`() {
        #expect("\(Sample.salt) \(String(reflecting: Sample.salt))" == "‹redacted› ‹redacted›")
        var dumped = ""
        dump(Sample.salt, to: &dumped)
        #expect(!dumped.contains("16"))
    }
}
