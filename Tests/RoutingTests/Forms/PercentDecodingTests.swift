import Testing
@testable import Routing

@Suite struct PercentDecodingTests {
    @Test(arguments: [
        ("", ""), ("abc", "abc"), ("a%20b", "a b"), ("%C3%A9", "é"), ("%c3%a9", "é"), ("%F0%9F%90%A2", "🐢"), ("a+b", "a+b"),
        ("%2F", "/"), ("%25", "%"), ("%2525", "%25"), ("é", "é"),
    ])
    func `escapes are decoded once`(text: String, expected: String) {
        #expect(decoded(text) == expected)
    }

    @Test(arguments: [
        "%", "%2", "a%", "a%2", "%zz", "%2g", "%g2", "% 2", "%+2", "%%", "%u0041", "%00", "a%00b", "%C3", "%C3%28", "%C0%AF",
        "%E0%80%AF",
        "%F5%80%80%80", "%ED%A0%80", "%FF", "%80",
    ])
    func `a broken escape, NUL, and anything but UTF-8 is refused`(text: String) {
        #expect(decoded(text) == nil)
    }

    @Test func `a plus is a space in forms only`() {
        #expect(decoded("a+%2B", plus: .space) == "a +")
        #expect(decoded("a+%2B", plus: .literal) == "a++")
    }

    private func decoded(_ text: String, plus: PercentDecoding.Plus = .literal) -> String? {
        let bytes = [UInt8](text.utf8)
        return PercentDecoding.text(bytes.span, in: 0..<bytes.count, plus: plus)
    }
}
