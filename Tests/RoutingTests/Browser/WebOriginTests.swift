import Routing
import Testing

@Suite struct WebOriginTests {
    @Test(arguments: [
        ("https://app.example.com", "https://app.example.com"), ("HTTPS://App.Example.COM", "https://app.example.com"),
        ("https://app.example.com:443", "https://app.example.com"), ("http://a:80", "http://a"), ("http://a:443", "http://a:443"),
        ("http://localhost:8080", "http://localhost:8080"), ("http://[::1]:8080", "http://[::1]:8080"),
        ("http://[::1]", "http://[::1]"),
    ])
    func `an origin has one spelling`(_ text: String, _ expected: String) {
        #expect(WebOrigin(text)?.text == expected)
    }

    @Test(arguments: [
        "", "null", "NULL", "app.example.com", "https://", "https://:443", "ftp://a", "https://a/", "https://a?", "https://a b",
        "https://a@b", "https://a,https://b", "https://a https://b", "https://a:", "https://a:x", "https://a:123456",
        "https://a:65536",
        "https://é", "file://", "https:a", "https://a\\b", "https://" + String(repeating: "a", count: 280),
    ])
    func `anything else is none`(_ text: String) {
        #expect(WebOrigin(text) == nil)
    }

    @Test(arguments: [
        ("https://id.example.com/kidoban", "https://id.example.com"), ("http://localhost:8080", "http://localhost:8080"),
        ("https://ID.example.com:443/a/b?c#d", "https://id.example.com"),
    ])
    func `a URL has the origin of its pages`(_ url: String, _ expected: String) {
        #expect(WebOrigin(ofURL: url)?.text == expected)
        #expect(WebOrigin(ofURL: url)?.isSecure == url.hasPrefix("https"))
    }

    @Test(arguments: ["", "id.example.com", "mailto:a@b.example", "https:"])
    func `what is no web page has no origin`(_ url: String) {
        #expect(WebOrigin(ofURL: url) == nil)
    }
}
