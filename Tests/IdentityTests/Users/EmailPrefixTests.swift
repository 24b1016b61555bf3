import Testing

@testable import Identity

@Suite struct EmailPrefixTests {
    @Test func `a prefix is the range of what begins so`() {
        let prefix = EmailPrefix("Mei.")
        #expect(prefix?.lowerBound == "mei.")
        #expect(prefix?.upperBound == "mei/")
        #expect(EmailPrefix("~")?.upperBound == "\u{7F}")
    }

    @Test func `a whole address is taken in its normalised form`() {
        #expect(EmailPrefix("Mei@Bücher.example")?.lowerBound == "mei@xn--bcher-kva.example")
    }

    @Test(arguments: ["", " ", "a b", "é", "mei@büch", "a\u{0}", String(repeating: "a", count: 255)])
    func `what no address begins with is none`(_ text: String) {
        #expect(EmailPrefix(text) == nil)
    }

    @Test func `the longest is as long as an address`() {
        #expect(EmailPrefix(String(repeating: "a", count: 254)) != nil)
    }
}
