import Testing

@testable import Crypto

@Suite("Base64 without padding, RFC 4648 §4")
struct UnpaddedBase64Tests {
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
    ])
    func `the examples of RFC 4648 §10 hold, less their padding`(plain: String, encoded: String) {
        #expect(UnpaddedBase64.encode(Array(plain.utf8)) == encoded)
        #expect(UnpaddedBase64.decode(encoded) == Array(plain.utf8))
    }

    @Test func `every length comes back`() {
        for count in 0..<70 {
            let bytes = SecureRandom.bytes(count)
            #expect(UnpaddedBase64.decode(UnpaddedBase64.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: [
        "A", "AAAAA", "Zg==", "Zh", "Zm9", "Zm 8", " Zm8", "Zm8 ", "Zm8\n", "Zm-v", "Zm_v", "Zm9v=", "=", "Zé", "Z\u{0}",
    ])
    func `any other spelling is refused`(text: String) {
        #expect(UnpaddedBase64.decode(text) == nil)
    }
}
