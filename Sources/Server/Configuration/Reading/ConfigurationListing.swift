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
                    "| \(name) | \(markdownDefault(setting)) | \(setting.meaning) | \(setting.expectation) | \(setting.change) |\n"
            }
            return "### \(section.title)\n\n| Name | Default | Meaning | Accepts | Changes with |\n"
                + "| --- | --- | --- | --- | --- |\n" + rows.joined()
        }.joined(separator: "\n")
    }

    private static func markdownDefault(_ setting: Setting) -> String {
        switch setting.fallback {
        case .value(let text): text.isEmpty ? "empty" : "`\(text)`"
        case .derived(let note, _), .nothing(let note): note
        }
    }

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

extension Setting {
    /// What it takes for a new value to be in force.
    fileprivate var change: String { reloads ? "SIGHUP" : "restart" }
}
