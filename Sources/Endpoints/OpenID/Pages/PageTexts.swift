import Text

/// What a team may write in the place of the built-in texts of the sign-in pages and of those behind the links in mails (`PageLook.texts`).
package enum PageTexts {
    /// Of one text, in bytes.
    private static let longest = 2000

    package static let languages = AcceptedLanguage.allCases.map(\.rawValue)
    package static let names = SignInText.allCases.map(\.rawValue) + PageText.allCases.map(\.name)
    /// What stands before the name of a scope of the team's own, for a text that says what it lets a client do.
    static let scopePrefix = "scope."

    package static func isName(_ name: String) -> Bool {
        name.hasPrefix(scopePrefix) ? name.utf8.count > scopePrefix.utf8.count : english(name) != nil
    }

    /// What is wrong with a text, to follow its name; nil where it can stand in the place of the built-in one. What the built-in one is filled
    /// in with must be in it too: a consent that does not name the client is none.
    package static func fault(of text: String, for name: String) -> String? {
        guard text.contains(where: { !$0.isWhitespace }) else { return "is empty" }
        guard text.utf8.count <= longest else { return "is longer than \(longest) bytes" }
        guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            return "has a control character"
        }
        let (wanted, given) = (placeholders(in: english(name) ?? ""), placeholders(in: text))
        if let lost = wanted.subtracting(given).min() { return "does not have {\(lost)} in it" }
        let known = wanted.union(["service"])
        guard let strange = given.subtracting(known).min() else { return nil }
        let names = known.sorted().map { "{\($0)}" }.joined(separator: ", ")
        return "has {\(strange)} where it cannot be filled in; there are \(names)"
    }

    /// The built-in texts of a language as a file of a team's own would have them; nil for a language that the pages do not speak.
    package static func builtIn(_ language: String) -> String? {
        guard let language = AcceptedLanguage(rawValue: language) else { return nil }
        let texts =
            SignInText.allCases.map { ($0.rawValue, $0.text(in: language)) }
            + PageText.allCases.map { ($0.name, $0.text(in: language)) }
        let lines = texts.map { name, text in
            "  \"\(name)\": \(String(decoding: JSONValue.string(text).serialized, as: UTF8.self))"
        }
        return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
    }

    /// The built-in text of a name.
    private static func english(_ name: String) -> String? {
        SignInText(rawValue: name)?.english ?? PageText(named: name)?.english
    }

    /// What stands in braces in a text.
    private static func placeholders(in text: String) -> Set<String> {
        Set(
            text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().compactMap { part in
                part.contains("}") ? String(part.prefix { $0 != "}" }) : nil
            })
    }
}
