import Testing

@testable import Server

@Suite struct ConfigurationDocumentTests {
    /// The page between its two markers.
    private func lists() throws -> String {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        let bytes = try FileReader.system.read(root + "/docs/configuration.md").bytes
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let begin = try #require(lines.firstIndex(of: "<!-- begin: kidoban config --markdown -->"))
        let end = try #require(lines.firstIndex(of: "<!-- end -->"))
        return lines[(begin + 1)..<end].joined(separator: "\n")
    }

    @Test func `the lists of the documentation are those of the program`() throws {
        #expect(try lists() == "\n" + ConfigurationListing.markdown)
    }

    @Test func `every setting is one line of a list`() {
        for line in ConfigurationListing.markdown.split(separator: "\n") {
            #expect(line.hasPrefix("- `") || line.hasPrefix("### "), "\(line)")
        }
    }

    @Test(arguments: Settings.all)
    func `the help of serve says of every setting what it means, accepts and is by default`(_ setting: Setting) {
        let help = HelpTopic.serve.text
        let words = { (text: String) in text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        #expect(help.contains("\n  \(setting.name)"))
        #expect(words(help).contains(words(setting.meaning)))
        #expect(words(help).contains(words("Accepts: \(setting.expectation)")))
        #expect(!setting.mayComeFromFile || help.contains(setting.fileName))
    }

    @Test func `no line of the help is too long for a terminal`() {
        for topic in HelpTopic.allCases {
            for line in topic.text.split(separator: "\n") { #expect(line.count <= 120, "\(line)") }
        }
    }
}
