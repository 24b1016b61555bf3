import Identity
import Testing

@Suite struct EmailAddressTests {
    @Test(
        arguments: [
            ("user@example.com", "user@example.com"),
            ("User@Example.COM", "user@example.com"),
            ("a@b.cd", "a@b.cd"),
            ("first.last+tag@sub.example.org", "first.last+tag@sub.example.org"),
            ("!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~@example.com"),
            ("1@2.com", "1@2.com"),
            ("x@xn--bcher-kva.example", "x@xn--bcher-kva.example"),
            ("x@bücher.example", "x@xn--bcher-kva.example"),
            ("x@BÜCHER.Example", "x@xn--bcher-kva.example"),
            ("x@bu\u{308}cher.example", "x@xn--bcher-kva.example"),
            ("x@ｅｘａｍｐｌｅ.com", "x@example.com"),
            ("x@example。com", "x@example.com"),
            ("x@\u{212A}elvin.example", "x@kelvin.example"),
            ("x@例え.テスト", "x@xn--r8jz45g.xn--zckzah"),
            ("x@straße.example", "x@xn--strae-oqa.example"),
        ])
    func `an address is kept as typed and normalised`(typed: String, normalized: String) throws {
        let address = try EmailAddress(typed)
        #expect(Array(address.typed.utf8) == Array(typed.utf8))
        #expect(address.normalized == normalized)
    }

    @Test func `a dotless i is another domain, not the same`() throws {
        let address = try EmailAddress("x@g\u{131}thub.example")
        #expect(address.normalized != "x@github.example")
        #expect(address.normalized.hasPrefix("x@xn--"))
    }

    @Test(
        arguments: [
            "", "@", "user", "user@", "@example.com", "user@@example.com", "a@b@example.com", "a@example.com@evil.example",
            " user@example.com", "user@example.com ", "us er@example.com", "user@exam ple.com", "user@\texample.com",
            "user@example.com\r\nBcc: x@evil.example", "user@example.com\n", "user\0@example.com", "user@example.com\0",
            ".user@example.com", "user.@example.com", "us..er@example.com", ".@example.com",
            "\"user\"@example.com", "\"a b\"@example.com", "user(comment)@example.com", "user@(comment)example.com",
            "<user@example.com>", "User <user@example.com>", "user,other@example.com", "user;other@example.com",
            "user\\@example.com", "user:x@example.com", "[user]@example.com",
            "user@localhost", "user@example", "user@example.com.", "user@.example.com", "user@example..com",
            "user@[127.0.0.1]", "user@127.0.0.1", "user@[IPv6:::1]", "user@1.2.3.4", "user@example.123",
            "user@-example.com", "user@example-.com", "user@exa_mple.com", "user@example.com:25", "user@exam/ple.com",
            "usér@example.com", "us\u{131}r@example.com", "\u{212A}@example.com", "ｕser@example.com", "user＠example.com",
            "user@exam\u{200B}ple.com", "user@exam\u{200D}ple.com", "user@exam\u{AD}ple.com", "user@\u{202E}example.com",
            "user@\u{200F}example.com", "user@\u{FEFF}example.com", "us\u{200B}er@example.com", "user@exam\u{2060}ple.com",
            "user@xn--.example", "user@xn--a.example", "user@\u{FFFF}.example", "user@example.c\u{301}\u{0}om",
        ])
    func `what can be read in two ways is refused`(typed: String) {
        #expect(throws: InputProblem(.email, .malformed)) { try EmailAddress(typed) }
    }

    @Test(arguments: [(1, true), (63, true), (64, true), (65, false)])
    func `a local part has at most 64 bytes`(length: Int, fits: Bool) {
        let typed = String(repeating: "l", count: length) + "@example.com"
        #expect(((try? EmailAddress(typed)) != nil) == fits)
    }

    @Test(arguments: [(62, true), (63, true), (64, false)])
    func `a label has at most 63 bytes`(length: Int, fits: Bool) {
        let typed = "x@" + String(repeating: "d", count: length) + ".example"
        #expect(((try? EmailAddress(typed)) != nil) == fits)
    }

    @Test(arguments: [(253, true), (254, true), (255, false)])
    func `an address has at most 254 bytes`(length: Int, fits: Bool) {
        let labels = String(repeating: String(repeating: "d", count: 60) + ".", count: 3)
        let local = String(repeating: "l", count: 60)
        let rest = String(repeating: "e", count: length - local.count - 1 - labels.count)
        let typed = local + "@" + labels + rest
        #expect(typed.utf8.count == length)
        #expect(((try? EmailAddress(typed)) != nil) == fits)
    }

    @Test(arguments: [100_000, 1_000_000])
    func `absurd input is refused`(length: Int) {
        #expect(throws: InputProblem.self) { try EmailAddress(String(repeating: "@", count: length)) }
        #expect(throws: InputProblem.self) { try EmailAddress("x@" + String(repeating: "ü", count: length)) }
    }

    @Test func `the local part is what is before the at sign`() throws {
        #expect(try EmailAddress("First.Last@Example.com").localPart == "first.last")
    }

    @Test func `what was stored is not judged again`() {
        let stored = EmailAddress(storedTyped: "old address", normalized: "old address")
        #expect(stored.normalized == "old address")
    }
}
