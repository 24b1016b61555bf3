import Testing

@testable import Server

@Suite struct IssuerURLTests {
    private func refusal(of text: String) -> SettingRefusal? {
        do throws(SettingRefusal) {
            try IssuerURL.check(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "https://id.example.com", "http://localhost:8080", "https://id.example.com:65535/a/b-c", "https://192.0.2.1",
        "https://[2001:db8::1]:8443/x", "http://identity_service",
    ])
    func `an absolute URL is accepted`(_ text: String) {
        #expect(refusal(of: text) == nil)
    }

    @Test(arguments: [
        ("id.example.com", "is not an http or https URL"), ("ftp://id.example.com", "is not an http or https URL"),
        ("HTTPS://id.example.com", "is not an http or https URL"),
        ("https://id.example.com?a=b", "has a query"), ("https://id.example.com/#a", "has a fragment"),
        ("https://id.example.com/", "ends with a slash"), ("https://id.example.com/a/", "ends with a slash"),
        ("https://user:pw@id.example.com", "has a user name or an @"),
        ("https://", "has no valid host"), ("https://:8080", "has no valid host"), ("https://a b", "has no valid host"),
        ("https://[::1", "has no valid host"), ("https://[127.0.0.1]", "has no valid host"), ("https://é", "has no valid host"),
        ("https://id.example.com:0", "has a port that is not a number from 1 to 65535"),
        ("https://id.example.com:65536", "has a port that is not a number from 1 to 65535"),
        ("https://id.example.com:+80", "has a port that is not a number from 1 to 65535"),
        ("https://id.example.com:", "has a port that is not a number from 1 to 65535"),
        ("https://id.example.com//a", "has a path segment that is not allowed"),
        ("https://id.example.com/../a", "has a path segment that is not allowed"),
        ("https://id.example.com/a%20b", "has a path segment that is not allowed"),
        ("https://id.example.com/\u{1B}[2J", "has a path segment that is not allowed"),
    ])
    func `what others could not compare or append to is refused`(_ text: String, _ reason: String) {
        #expect(refusal(of: text) == SettingRefusal(reason))
    }

    @Test func `512 bytes are the most`() {
        let text = "https://id.example.com/" + String(repeating: "a", count: 489)
        #expect(text.utf8.count == 512)
        #expect(refusal(of: text) == nil)
        #expect(refusal(of: text + "a") == SettingRefusal("is longer than 512 bytes"))
    }
}
