/// What `kidoban config` prints.
enum ConfigurationListing {
    /// Every setting that is in force as `NAME=value`, with where it comes from, secrets redacted.
    static func lines(of reading: ConfigurationReading) -> String {
        Settings.all(naming: reading.configuration.federation.names).map { setting in
            let (text, note) = inForce(setting, reading)
            return "\(setting.name)=\(text)  # \(note)\n"
        }.joined()
    }

    private static func inForce(_ setting: Setting, _ reading: ConfigurationReading) -> (text: String, note: String) {
        if let shown = reading.shown[setting.name] { return (shown.text, shown.origin.note) }
        switch setting.fallback {
        case .value(let text): return (text, ConfigurationReading.Origin.standard.note)
        case .derived(let note, let value): return (value(reading.configuration), "default: \(note)")
        case .nothing(let note): return ("", "default: \(note)")
        }
    }

    /// All settings for a terminal.
    static var help: String {
        Settings.documentedSections.map { section in
            let entries = section.settings.map { setting in
                let also = setting.mayComeFromFile ? "  or \(setting.fileName)" : ""
                let standard = setting.defaultText.isEmpty ? "empty" : setting.defaultText
                return "  \(setting.name)\(also)\n" + wrapped(setting.meaning) + wrapped("Default: \(standard)")
                    + wrapped("Accepts: \(setting.expectation)")
            }
            return section.title + "\n" + entries.joined()
        }.joined(separator: "\n")
    }

    /// All settings as lists for the documentation: each as the line that sets its default, what it means, and what it accepts.
    static var markdown: String {
        Settings.documentedSections.map { section in
            let lines = section.settings.map { setting in
                let file = setting.mayComeFromFile ? ", `\(setting.fileName)`" : ""
                let accepted = notation(setting).map { " *\($0)*" } ?? ""
                return "- \(markdownDefault(setting))\(file)\(setting.reloads ? " ↻" : ""): \(setting.meaning)\(accepted)\n"
            }
            return "### \(section.title)\n\n" + lines.joined()
        }.joined(separator: "\n")
    }

    private static func markdownDefault(_ setting: Setting) -> String {
        switch setting.fallback {
        case .value(let text): "`\(setting.name)=\(text)`"
        case .derived(let note, _), .nothing(let note): "`\(setting.name)` (\(note))"
        }
    }

    /// What a setting accepts, as the documentation's section "Notation" abbreviates it; nil for what the default shows.
    private static func notation(_ setting: Setting) -> String? {
        var text = setting.expectation
        if text == SettingFormat.flag.expectation || text == SettingFormat.budget.expectation { return nil }
        if let short = abbreviations[text] { return short }
        for range in ["a duration from ", "a whole number from ", "a size from "] where text.hasPrefix(range) {
            let bounds = text.dropFirst(range.count).split(separator: " ")
            if bounds.count == 3, bounds[1] == "to" { return "\(bounds[0])…\(bounds[2])" }
        }
        for (long, short) in shortened { text = text.replacing(long, with: short) }
        return text
    }

    private static let abbreviations = [
        SettingFormat.pathPrefix.expectation: "prefix",
        SettingFormat.address.expectation: "address",
        SettingFormat.issuer.expectation: "issuer URL",
        SettingFormat.path.expectation: "file",
        SettingFormat.audience.expectation: "client id",
        SettingFormat<String>.clientID.expectation: "client id",
        SettingFormat<[String]>.clientIDs.expectation: "client ids",
        SettingFormat<[String]>.audiences.expectation: "client ids",
        SettingFormat<String>.keySetURL.expectation: "https URL",
    ]

    private static let shortened = [
        ("nothing, or ", ""), (", or nothing", ""), (", with commas between them", ""), (" with commas between them", ""),
        ("an http or https URL of at most 512 printable characters with", "URL with"), ("the path of a ", ""),
    ]

    /// Indented lines of at most 100 characters, unless a word is longer.
    private static func wrapped(_ text: String) -> String {
        let indentation = "      "
        var lines = [indentation]
        for word in text.split(separator: " ") {
            let last = lines.count - 1
            if lines[last].count + word.count >= 100, lines[last] != indentation {
                lines.append(indentation + word)
            } else {
                lines[last] += (lines[last] == indentation ? "" : " ") + word
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
