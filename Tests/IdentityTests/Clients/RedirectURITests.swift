import Identity
import Testing

@Suite struct RedirectURITests {
    private func refusal(_ text: String, _ rule: RedirectURI.Rule = .webPage) -> RedirectURI.Refusal? {
        do throws(RedirectURI.Refusal) {
            _ = try RedirectURI(text, rule)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "https://app.example.com/callback", "https://app.example.com", "https://app.example.com:8443/a/b?c=d&e=%20f",
        "https://[2001:db8::1]/cb", "https://APP.example.com/CB", "https://a/", "http://127.0.0.1/cb", "http://127.0.0.1:3000/cb",
        "http://[::1]:3000/cb", "http://localhost:3000/cb", "https://app.example.com/a@b",
        "https://app.example.com/.well-known/x",
        "https://app.example.com/a?b=../c",
    ])
    func `https is registered anywhere, http on the machine itself`(_ text: String) {
        for rule in [RedirectURI.Rule.webPage, .nativeApp] { #expect(refusal(text, rule) == nil) }
    }

    @Test(arguments: [
        "com.example.app:/callback", "com.example.app://callback", "com.example.app:callback", "a.b:/?x=y", "org.x-y.z:/",
    ])
    func `a scheme of its own is for an app`(_ text: String) {
        #expect(refusal(text, .nativeApp) == nil)
        #expect(refusal(text, .webPage) == .scheme)
    }

    @Test(arguments: [
        ("http://app.example.com/cb", RedirectURI.Refusal.scheme), ("http://127.0.0.1.example.com/", .scheme),
        ("http://127.0.0.2/", .scheme),
        ("http://localhost.example.com/", .scheme), ("ftp://example.com/", .scheme), ("/callback", .scheme),
        ("app.example.com/cb", .scheme),
        ("javascript:alert(1)", .scheme), ("data:text/html,x", .scheme), ("HTTPS://app.example.com/", .scheme), ("", .scheme),
        ("https://app.example.com/#", .fragment), ("https://app.example.com/cb#x=y", .fragment), ("#", .fragment),
        ("https://user@app.example.com/", .userInformation), ("https://user:pass@app.example.com/", .userInformation),
        ("https://app.example.com@evil.example/", .userInformation), ("http://127.0.0.1:1@evil.example/", .userInformation),
        ("https://*.example.com/cb", .notURI), ("https://app.example.com/*", .notURI), ("https://app.example.com/a b", .notURI),
        ("https://app.example.com\\@evil.example/", .notURI), ("https://app.example.com/\n", .notURI),
        ("https://app.example.com/\u{7F}", .notURI),
        ("https://app.example.com/\u{0}", .notURI), ("https://äpp.example.com/", .notURI),
        ("https://app.example.com/%0d%0aX", .notURI),
        ("https://app.example.com/%00", .notURI), ("https://app.example.com/%2", .notURI),
        ("https://app.example.com/%zz", .notURI),
        ("https://app.example.com/%", .notURI), ("https://app.example.com/<x>", .notURI),
        ("https://app.example.com/\"x\"", .notURI),
        ("https:///cb", .host), ("https:/cb", .host), ("https:app.example.com", .host), ("https://.example.com/", .host),
        ("https://app..example.com/", .host), ("https://-a.example.com/", .host), ("https://[::1/", .host),
        ("https://[x]/", .host),
        ("https://app_x.example.com/", .host), ("https://?x", .host),
        ("https://app.example.com:/", .port), ("https://app.example.com:0/", .port), ("https://app.example.com:65536/", .port),
        ("https://app.example.com:00443/", .port), ("https://app.example.com:+443/", .port),
        ("https://app.example.com:443a/", .port),
        ("https://app.example.com/../x", .dotSegment), ("https://app.example.com/a/./b", .dotSegment),
        ("https://app.example.com/a/%2E%2e/b", .dotSegment), ("https://app.example.com/a/..", .dotSegment),
    ])
    func `what leads elsewhere than it says is refused, and why is told`(_ text: String, _ expected: RedirectURI.Refusal) {
        #expect(refusal(text) == expected)
    }

    @Test(arguments: [
        ("myapp:/cb", RedirectURI.Refusal.nativeScheme), ("javascript:alert(1)", .nativeScheme),
        ("com.example.app:", .nativeScheme),
        ("com.example.app", .nativeScheme), (".example:/cb", .nativeScheme), ("1com.example:/cb", .nativeScheme),
        ("com..example:/cb", .nativeScheme), ("http://app.example.com/", .nativeScheme),
        ("com.example.app://u@h/", .userInformation),
        ("com.example.app:/a/../b", .dotSegment), ("com.example.app:/cb#x", .fragment),
    ])
    func `a scheme of an app's own has a dot`(_ text: String, _ expected: RedirectURI.Refusal) {
        #expect(refusal(text, .nativeApp) == expected)
    }

    @Test func `a text of two thousand bytes is taken, and none longer`() {
        let text = "https://app.example.com/"
        #expect(refusal(text + String(repeating: "a", count: 2000 - text.utf8.count)) == nil)
        #expect(refusal(text + String(repeating: "a", count: 2001 - text.utf8.count)) == .tooLong)
    }

    @Test func `what is asked for is the very text that is registered`() throws {
        let uri = try RedirectURI("https://app.example.com/callback?x=y", .webPage)
        #expect(uri.matches("https://app.example.com/callback?x=y"))
        for other in [
            "https://app.example.com/callback", "https://app.example.com/callback?x=y&z", "https://app.example.com/callback/?x=y",
            "https://APP.example.com/callback?x=y", "https://app.example.com:443/callback?x=y",
            "http://app.example.com/callback?x=y",
            "https://app.example.com/callback?x=y#f", "https://app.example.com/%63allback?x=y",
            "https://app.example.com.evil.example/callback?x=y",
            "https://app.example.com/callback?x=y ", " https://app.example.com/callback?x=y",
            "https://evil@app.example.com/callback?x=y", "",
        ] {
            #expect(!uri.matches(other), "\(other)")
        }
    }

    @Test func `an app on the machine itself has whatever port it got`() throws {
        for address in ["127.0.0.1", "[::1]"] {
            let uri = try RedirectURI("http://\(address)/callback", .nativeApp)
            for port in ["", ":1", ":49152", ":65535"] { #expect(uri.matches("http://\(address)\(port)/callback"), "\(port)") }
            for other in [
                ":0/callback", ":65536/callback", ":/callback", ":080/callback", ":80a/callback", ":80@evil.example/callback",
                ":80/other",
                ":80/callback/", ":80/callback?x", ":80", "evil.example/callback", ".evil.example/callback",
                ":80\\@evil.example/callback",
            ] {
                #expect(!uri.matches("http://\(address)\(other)"), "\(other)")
            }
            #expect(!uri.matches("https://\(address):80/callback"))
        }
        let registered = try RedirectURI("http://127.0.0.1:3000/callback", .nativeApp)
        #expect(registered.matches("http://127.0.0.1:50000/callback"))
        #expect(!registered.matches("http://[::1]:3000/callback"))
        // A name is no address: what it means is for others to say.
        #expect(!(try RedirectURI("http://localhost:3000/cb", .nativeApp)).matches("http://localhost:3001/cb"))
        #expect(!(try RedirectURI("https://127.0.0.1:3000/cb", .nativeApp)).matches("https://127.0.0.1:3001/cb"))
    }
}
