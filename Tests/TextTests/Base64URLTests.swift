import Testing
import Text

@Suite("Base64url, RFC 4648 §5")
struct Base64URLTests {
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
    ])
    func `the vectors of RFC 4648 §10 hold without padding`(plain: String, encoded: String) {
        #expect(Base64URL.encode([UInt8](plain.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == [UInt8](plain.utf8))
        #expect(Base64URL.encodedBytes([UInt8](plain.utf8)) == [UInt8](encoded.utf8))
    }

    @Test func `the vector of RFC 7515 appendix C holds`() {
        #expect(Base64URL.encode([3, 236, 255, 224, 193]) == "A-z_4ME")
        #expect(Base64URL.decode("A-z_4ME") == [3, 236, 255, 224, 193])
    }

    @Test(arguments: [
        "Zg==", "Zm8=", "Zm9v====", "=", "A+z/4ME", " Zm9v", "Zm9v ", "Zm\n9v", "Z", "Zm9vZ", "Zh", "Zm9", "Zm9v\0",
        "Zm9\u{e9}", "Zg.", "Zm8-Zg=",
    ])
    func `text that the encoder would not write is refused`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func `every value of every byte survives at each position`() {
        for length in 1...4 {
            for value in UInt8.min...UInt8.max {
                let bytes = [UInt8](repeating: value, count: length)
                #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            }
        }
    }

    @Test func `no two texts of three symbols decode to the same bytes`() {
        let symbols = "ABQgwxyz0189-_".map(String.init)
        var seen: [[UInt8]: String] = [:]
        for first in symbols {
            for second in symbols {
                for third in symbols {
                    let text = first + second + third
                    guard let bytes = Base64URL.decode(text) else { continue }
                    #expect(seen.updateValue(text, forKey: bytes) == nil)
                    #expect(Base64URL.encode(bytes) == text)
                }
            }
        }
        #expect(!seen.isEmpty)
    }
}
