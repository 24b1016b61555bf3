import Endpoints
import Testing
import Text

@testable import Server

/// Texts of a team's own for the sign-in pages (`KIDOBAN_PAGES_TEXTS`).
@Suite struct PageTextSettingsTests {
    private static let settings = ["KIDOBAN_PAGES_TEXTS": "/texts"]

    /// A directory with these files in it.
    private static func directory(_ texts: [String: String]) -> FileReader {
        FileReader(names: { $0 == "/texts" ? Array(texts.keys) : [] }) { path throws(FileFault) in
            guard path != "/texts" else { throw .isDirectory }
            guard let text = texts.first(where: { "/texts/\($0.key)" == path })?.value else { throw .missing }
            return Sample.file(text, mode: 0o644)
        }
    }

    private func problems(_ texts: [String: String]) -> [String] {
        Sample.problems(Self.settings, files: Self.directory(texts)).map(\.description)
    }

    @Test func `texts of a directory take the place of the built-in ones`() throws {
        let files = Self.directory([
            "en.json": #"{"signIn": "Welcome to {service}", "consent": "{client} wants in", "scope.orders": "see {service}"}"#,
            "ja.json": #"{"signIn": "ようこそ"}"#,
            "README": "ours", ".old.json": "{", "en.json~": "{",
        ])
        let configuration = try Sample.read(Self.settings, files: files)
        #expect(
            configuration.signIn.look.texts == [
                "en": ["signIn": "Welcome to {service}", "consent": "{client} wants in", "scope.orders": "see {service}"],
                "ja": ["signIn": "ようこそ"],
            ])
        #expect(try Sample.read([:]).signIn.look.texts.isEmpty)
    }

    @Test func `every mistake is told at once, with the file and the name of the text`() {
        #expect(
            problems([
                "en.json": """
                {"signInn": "x", "password": "", "email": 7, "consent": "Access?", "consentAsks": "{email}, {client}, {klient}",
                "checkMail": "a\\u0007b", "mail.addressQuestion": "Yours?", "mail.emailTitel": "x"}
                """, "ja.json": "{\"signIn\": \"a\"", "fr.json": "{}",
            ]) == [
                "KIDOBAN_PAGES_TEXTS has fr.json, which is of no language of the pages; there are en.json, ja.json",
                "KIDOBAN_PAGES_TEXTS has en.json, in which signInn is no text of the pages; the nearest is signIn",
                "KIDOBAN_PAGES_TEXTS has en.json, in which password is empty",
                "KIDOBAN_PAGES_TEXTS has en.json, in which email is no text",
                "KIDOBAN_PAGES_TEXTS has en.json, in which consent does not have {client} in it",
                "KIDOBAN_PAGES_TEXTS has en.json, in which consentAsks has {klient} where it cannot be filled in; there are "
                    + "{client}, {email}, {service}",
                "KIDOBAN_PAGES_TEXTS has en.json, in which checkMail has a control character",
                "KIDOBAN_PAGES_TEXTS has en.json, in which mail.addressQuestion does not have {address} in it",
                "KIDOBAN_PAGES_TEXTS has en.json, in which mail.emailTitel is no text of the pages; the nearest is mail.emailTitle",
                "KIDOBAN_PAGES_TEXTS has ja.json, which is not JSON (unexpectedEnd at byte 14)",
            ])
    }

    @Test func `what is no object, or too large, is refused`() {
        #expect(problems(["en.json": "[]"]) == ["KIDOBAN_PAGES_TEXTS has en.json, which is no JSON object"])
        let large = "{" + String(repeating: " ", count: 64 << 10) + "}"
        #expect(problems(["en.json": large]) == ["KIDOBAN_PAGES_TEXTS has en.json, which is larger than 64KiB"])
        let long = String(repeating: "a", count: 2001)
        #expect(
            problems(["en.json": #"{"signIn": "\#(long)"}"#])
                == ["KIDOBAN_PAGES_TEXTS has en.json, in which signIn is longer than 2000 bytes"])
        #expect(
            problems(["en.json": #"{"signIn": "a", "signIn": "b"}"#]).first?.contains("is not JSON (duplicateMember at byte")
                ?? false)
        #expect(
            Sample.problems(["KIDOBAN_PAGES_TEXTS": "/nowhere"]).map(\.description)
                == ["KIDOBAN_PAGES_TEXTS does not name a directory that can be read"])
    }

    @Test func `another text in a file is another value of the setting, which needs a restart`() throws {
        func reading(_ text: String) throws -> ConfigurationReading {
            try Configuration.read(
                environment: Self.settings, files: Self.directory(["en.json": #"{"signIn": "\#(text)"}"#]), masterKey: .optional)
        }
        let first = try reading("a")
        #expect(try reading("a").changes(since: first).isEmpty)
        let changes = try reading("b").changes(since: first)
        #expect(changes.map(\.name) == ["KIDOBAN_PAGES_TEXTS"] && !changes.contains(where: \.reloads))
    }

    @Test(arguments: PageTexts.languages)
    func `the built-in texts are texts that a team may have`(_ language: String) throws {
        let text = try #require(PageTexts.builtIn(language))
        let files = Self.directory(["\(language).json": text])
        let texts = try #require(try Sample.read(Self.settings, files: files).signIn.texts.texts[language])
        #expect(Set(texts.keys) == Set(PageTexts.names))
        #expect(try JSON.parse(text).objectValue?.members.map(\.key) == PageTexts.names)
    }
}
