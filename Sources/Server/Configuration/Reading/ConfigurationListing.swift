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

    /// All settings as tables for the documentation.
    static var markdown: String {
        Settings.documentedSections.map { section in
            let rows = section.settings.map { setting in
                let name = "`\(setting.name)`" + (setting.mayComeFromFile ? ", `\(setting.fileName)`" : "")
                return
                    "| \(name)\(setting.reloads ? " ↻" : "") | \(markdownDefault(setting)) | \(setting.meaning) | \(notation(setting)) |\n"
            }
            return "### \(section.title)\n\n| Name | Default | Meaning | Accepts |\n| --- | --- | --- | --- |\n" + rows.joined()
        }.joined(separator: "\n")
    }

    private static func markdownDefault(_ setting: Setting) -> String {
        switch setting.fallback {
        case .value(let text): text.isEmpty ? "empty" : "`\(text)`"
        case .derived(let note, _), .nothing(let note): note
        }
    }

    /// What a setting accepts, as the documentation's section "Notation" abbreviates it.
    private static func notation(_ setting: Setting) -> String {
        let text = setting.expectation
        if let short = abbreviations[text] { return short }
        for range in ["a duration from ", "a whole number from ", "a size from "] where text.hasPrefix(range) {
            let bounds = text.dropFirst(range.count).split(separator: " ")
            if bounds.count == 3, bounds[1] == "to" { return "\(bounds[0])…\(bounds[2])" }
        }
        return text
    }

    private static let abbreviations = [
        SettingFormat.flag.expectation: "flag",
        SettingFormat.budget.expectation: "budget",
        SettingFormat.pathPrefix.expectation: "prefix",
        SettingFormat<[String]>.clientIDs.expectation: "client ids",
        SettingFormat<String>.keySetURL.expectation: "https URL",
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
