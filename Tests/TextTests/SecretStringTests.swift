import Testing
import Text

@Suite struct SecretStringTests {
    private struct Holder {
        let password: SecretString
        let key: SecretBytes
    }

    @Test func `a secret is redacted however it is printed`() {
        let secret = SecretString("hunter2")
        let holder = Holder(password: secret, key: SecretBytes([0x68, 0x75]))
        var dumped = ""
        dump(holder, to: &dumped)
        for text in ["\(secret)", String(describing: secret), String(reflecting: secret), "\(holder)", "\([secret])", dumped] {
            #expect(!text.contains("hunter2"))
            #expect(!text.contains("104"))
        }
        #expect("\(secret)" == "‹redacted›")
        #expect("\(SecretBytes([1]))" == "‹redacted›")
    }

    @Test func `its holder can reveal it`() {
        let secret = SecretString("påss")
        #expect(secret.revealedText == "påss")
        #expect(secret.revealedBytes == [UInt8]("påss".utf8))
        #expect(secret.byteCount == 5)
        #expect(!secret.isEmpty)
        #expect(SecretBytes([1, 2]).revealedBytes == [1, 2])
    }
}
