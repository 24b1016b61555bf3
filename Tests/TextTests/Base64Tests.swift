import Testing
import Text

@Suite("Base64, RFC 4648 §4")
struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `the vectors of RFC 4648 §10 hold`(plain: String, encoded: String) {
        #expect(Base64.encode([UInt8](plain.utf8)) == encoded)
        #expect(Base64.decode(encoded) == [UInt8](plain.utf8))
    }

    @Test func `the credentials of RFC 7617 §2 are read`() {
        #expect(Base64.decode("QWxhZGRpbjpvcGVuIHNlc2FtZQ==") == [UInt8]("Aladdin:open sesame".utf8))
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm9v=", "Zm9v====", "====", "=", "Z===", "Zm=v", "Zg==Zg==", "Zm9v\n", " Zm9v",
        "-_==", "Zm 9",
    ])
    func `text that the encoder would not write is refused`(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
