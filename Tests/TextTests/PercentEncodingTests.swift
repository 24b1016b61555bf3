import Testing
import Text

@Suite("Percent-encoding, RFC 3986 §2.1")
struct PercentEncodingTests {
    @Test(arguments: [
        ("", ""), ("plain", "plain"), ("p%40ss%20word", "p@ss word"), ("%e6%9c%A8", "木"), ("a+b", "a+b"), ("100%25", "100%"),
    ])
    func `escapes become bytes, in either case, and the rest stays`(text: String, decoded: String) {
        #expect(PercentEncoding.decode(text) == decoded)
    }

    @Test(arguments: ["%", "a%", "%4", "%4g", "%g4", "%%40", "% 40", "%+4", "%-1", "%ff", "%c3", "%c3%28"])
    func `half an escape, and what is not UTF-8, is refused`(text: String) {
        #expect(PercentEncoding.decode(text) == nil)
    }

    @Test func `digits are a number, and nothing else is`() {
        #expect(Int(digits: "0") == 0)
        #expect(Int(digits: "0042") == 42)
        for text in ["", "+1", "-1", " 1", "1 ", "1_0", "0x1", "١", "99999999999999999999"] {
            #expect(Int(digits: text) == nil, "\(text)")
        }
    }
}
