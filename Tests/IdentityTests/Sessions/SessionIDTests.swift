import Identity
import Testing

@Suite struct SessionIDTests {
    @Test func `an id is read as it was written`() throws {
        #expect(Sample.sessionID.text == "AAECAwQFBgcICQoLDA0ODw")
        let read = try #require(SessionID(Sample.sessionID.text))
        #expect(read == Sample.sessionID)
        #expect(read.bytes == Array(0..<16))
        #expect("\(read)" == read.text)
    }

    @Test(
        arguments: [
            "", "AAECAwQFBgcICQoLDA0OD", "AAECAwQFBgcICQoLDA0ODwA", "AAECAwQFBgcICQoLDA0ODx", "AAECAwQFBgcICQoLDA0OD=",
            "AAECAwQFBgcICQoLDA0O w", "AAECAwQFBgcICQoLDA0O\r\n", "AAECAwQFBgcICQoL+A0ODw", "AAECAwQFBgcICQoLDA0Oé",
        ]
    )
    func `anything else is refused`(text: String) {
        #expect(SessionID(text) == nil)
    }
}
