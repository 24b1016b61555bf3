import Testing
import Text

@Suite struct UnicodeTextTests {
    @Test(arguments: [
        ("", ""), ("plain", "plain"), ("e\u{301}", "\u{e9}"), ("\u{e9}", "\u{e9}"), ("\u{212B}", "\u{c5}"),
        ("\u{1E9B}\u{323}", "\u{1E9B}\u{323}"),
        ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"), ("q\u{307}\u{323}", "q\u{323}\u{307}"), ("\u{FB01}", "\u{FB01}"),
        ("\u{1F600}", "\u{1F600}"),
    ])
    func `text is brought to normalization form C`(text: String, normalized: String) {
        #expect(UnicodeText.nfc(text).map { [UInt8]($0.utf8) } == [UInt8](normalized.utf8))
    }

    @Test func `text with NUL is refused`() {
        #expect(UnicodeText.nfc("a\0b") == nil)
        #expect(UnicodeText.asciiDomain("a\0.example") == nil)
        #expect(UnicodeText.asciiDomain("example.com\0.evil.test") == nil)
    }

    @Test(arguments: [
        ("example.com", "example.com"), ("EXAMPLE.Com", "example.com"), ("bücher.example", "xn--bcher-kva.example"),
        ("BÜCHER.example", "xn--bcher-kva.example"), ("faß.de", "xn--fa-hia.de"),
        ("bu\u{308}cher.example", "xn--bcher-kva.example"),
        ("日本語。jp", "xn--wgv71a119e.jp"), ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("ＥＸＡＭＰＬＥ.com", "example.com"),
        ("a-b.c1.example", "a-b.c1.example"), ("localhost", "localhost"),
    ])
    func `a domain has one ASCII form`(domain: String, ascii: String) {
        #expect(UnicodeText.asciiDomain(domain) == ascii)
    }

    @Test(arguments: [
        "", ".", ".example.com", "example..com", "example.com.", "exa mple.com", "under_score.example", "a@b.example",
        "-a.example", "a-.example",
        "example.com/path", "xn--\u{1F600}", "xn--0.example", "\u{200D}.example", "a\u{2028}b.example", "a\u{FF20}b.example",
        "\u{2100}.example",
        "\u{2260}.example", "日_本.example", "a\u{FF1B}b.example", "\u{FF0D}a.example",
    ])
    func `a text that is no domain is refused`(text: String) {
        #expect(UnicodeText.asciiDomain(text) == nil)
    }

    @Test(arguments: [(63, true), (64, false)])
    func `a label has at most 63 bytes`(length: Int, isAccepted: Bool) {
        let domain = String(repeating: "a", count: length) + ".example"
        #expect((UnicodeText.asciiDomain(domain) != nil) == isAccepted)
    }

    @Test(arguments: [(253, true), (254, false), (100_000, false)])
    func `a name has at most 253 bytes`(length: Int, isAccepted: Bool) {
        let label = String(repeating: "a", count: 49) + "."
        let labels = String(repeating: label, count: length / 50)
        let domain = labels + String(repeating: "b", count: length - labels.count)
        #expect((UnicodeText.asciiDomain(domain) != nil) == isAccepted)
    }
}
