import Testing

@testable import Identity

@Suite struct UsernameTests {
    @Test(arguments: ["a", "A.b+c-d_e@f", "名前", "ünïcode", "١٢٣", String(repeating: "x", count: 150)])
    func `letters, digits and five signs make a username`(_ text: String) throws {
        #expect(try Username(text).text == text)
    }

    @Test(arguments: ["", " ", "a b", "a/b", "a\0b", "<script>", "a\u{200B}b", "🙂"])
    func `anything else does not`(_ text: String) {
        #expect(throws: InputProblem(.username, .malformed)) { try Username(text) }
    }

    @Test func `a longer one is too long`() {
        #expect(throws: InputProblem(.username, .tooLong(maximum: 150))) { try Username(String(repeating: "x", count: 151)) }
        #expect(throws: InputProblem(.username, .tooLong(maximum: 150))) { try Username(String(repeating: "ü", count: 10_000)) }
    }

    @Test func `two that differ in case or in how they were typed are one`() throws {
        #expect(try Username("Zoë").folded == Username("ZOE\u{308}").folded)
        #expect(try Username("Zoe\u{308}").text == "Zoë")
    }

    @Test(arguments: [
        ("ada@example.com", "ada"), ("a.b+c@example.com", "a.b+c"), ("a!#$b@example.com", "ab"), ("!@example.com", "user"),
    ])
    func `who has not chosen is called like the mailbox`(_ address: String, _ name: String) throws {
        let candidates = Username.candidates(for: try EmailAddress(address)) { [UInt8](repeating: 1, count: $0) }
        #expect(candidates.prefix(3) == [name, name + "2", name + "3"])
        #expect(candidates.allSatisfy { (try? Username($0)) != nil })
    }
}
