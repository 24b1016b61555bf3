import Identity
import Testing

@Suite struct PhotoURLTests {
    @Test(
        arguments: [
            "https://example.com", "https://example.com/", "HTTPS://Example.com/a.png?size=2&x=%20#top",
            "https://cdn.example.com:8443/a,b;c", "https://example.com?x=https://other.example/@", "https://10.0.0.1/a",
            "https://example.com/(a)[1]!*'$~",
        ])
    func `an https URL is kept as it is`(text: String) throws {
        #expect(try PhotoURL(text).text == text)
    }

    @Test(
        arguments: [
            "", "https", "https://", "https:///a", "https:/example.com", "http://example.com", "ftp://example.com",
            "javascript:alert(1)", "data:image/png;base64,AA", "//example.com/a", "example.com/a", " https://example.com",
            "https://example.com ", "https://exa mple.com", "https://example.com/a b", "https://example.com/\r\nX: y",
            "https://example.com/\0", "https://user@example.com", "https://user:secret@example.com", "https://@example.com",
            "https://example.com\\@evil.example", "https://example.com/<x>", "https://example.com/\"", "https://example.com/`",
            "https://example.com/{x}", "https://example.com/|", "https://example.com/^", "https://example.com/é",
            "https://bücher.example/", "https://example.com/%", "https://example.com/%2", "https://example.com/%zz",
            "https://example.com/#a#b", "https://example.com:", "https://example.com:x", "https://example.com:65536",
            "https://example.com:+80", "https://example.com:1:2", "https://[::1]/", "https://-a.example", "https://a-.example",
            "https://.example.com", "https://example..com", "https://exa_mple.com", "https://example.com%2eevil.example",
        ])
    func `anything else is refused`(text: String) {
        #expect(throws: InputProblem(.photoURL, .malformed)) { try PhotoURL(text) }
    }

    @Test(arguments: [2_047, 2_048])
    func `a URL within the limit is kept`(length: Int) throws {
        let text = "https://example.com/"
        #expect(try PhotoURL(text + String(repeating: "a", count: length - text.count)).text.count == length)
    }

    @Test func `a longer one is refused as such`() {
        #expect(throws: InputProblem(.photoURL, .tooLong(maximum: 2_048))) {
            try PhotoURL("https://example.com/" + String(repeating: "a", count: 2_029))
        }
    }
}
