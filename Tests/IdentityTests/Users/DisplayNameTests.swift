import Identity
import Testing

@Suite struct DisplayNameTests {
    @Test(
        arguments: [
            ("Ada", "Ada"), ("  Ada  Lovelace\u{3000}", "Ada  Lovelace"), ("\tAda\r\n", "Ada"), ("Łukasz 😀", "Łukasz 😀"),
            ("محمد", "محمد"), ("a\u{200D}b", "a\u{200D}b"), ("' OR 1=1--", "' OR 1=1--"),
        ])
    func `a name is trimmed and otherwise kept`(typed: String, kept: String) throws {
        #expect(try DisplayName(typed)?.text == kept)
    }

    @Test(arguments: ["", " ", "\u{A0}\u{2003}", "\r\n\t"])
    func `nothing but white space is no name`(typed: String) throws {
        #expect(try DisplayName(typed) == nil)
    }

    @Test(arguments: ["a\0b", "a\nb", "a\r\nb", "a\tb", "a\u{1B}[31mb", "a\u{7F}", "a\u{85}b", "a\u{2028}b", "a\u{2029}b"])
    func `control characters are refused`(typed: String) {
        #expect(throws: InputProblem(.displayName, .forbiddenCharacter)) { try DisplayName(typed) }
    }

    @Test(arguments: ["a", "😀", "e\u{301}"])
    func `a name has at most 200 scalars`(unit: String) throws {
        let count = unit.unicodeScalars.count
        #expect(try DisplayName(String(repeating: unit, count: 200 / count)) != nil)
        #expect(try DisplayName(" " + String(repeating: unit, count: 200 / count) + " ") != nil)
        #expect(throws: InputProblem(.displayName, .tooLong(maximum: 200))) {
            try DisplayName(String(repeating: unit, count: 200 / count) + "x")
        }
    }
}
