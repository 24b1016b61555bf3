/// Which users are to be taken over.
package struct ImportRequest: Equatable, Sendable {
    /// Where they come from. The raw values are the words of the command, and by which names their ids are kept unless told otherwise.
    package enum System: String, Sendable, CaseIterable {
        case firebase, django, supabase, jsonl
    }

    package let system: System
    package let path: String
    package var hashConfigPath: String?
    package var takesPasswords = true
    package var source: String
    /// What providers are called here.
    package var providers: [String: String] = [:]
    /// Nil to go by the name of the file.
    package var isCSV: Bool?
    package var isDryRun = false
    package var updates = false
    package var merges = false
    /// Nil for one beside the file.
    package var reportPath: String?

    package init(_ system: System, path: String) {
        self.system = system
        self.path = path
        source = system.rawValue
    }

    init(_ system: System, parsing arguments: ArraySlice<String>, _ topic: HelpTopic) throws(ArgumentsError) {
        var options: [ArgumentScanner.Option] = [
            .init(name: "--dry-run", takesValue: false), .init(name: "--update", takesValue: false),
            .init(name: "--merge", takesValue: false), .init(name: "--report", takesValue: true),
        ]
        if system != .jsonl {
            options += [
                .init(name: "--source", takesValue: true), .init(name: "--provider", takesValue: true, canRepeat: true),
            ]
        }
        if system == .firebase { options.append(.init(name: "--hash-config", takesValue: true)) }
        if system == .firebase || system == .supabase {
            options += [.init(name: "--without-passwords", takesValue: false), .init(name: "--format", takesValue: true)]
        }
        let scanner = try ArgumentScanner(arguments, options: options, topic: topic)
        self.init(system, path: try scanner.positional("FILE")[0])
        isDryRun = scanner.isGiven("--dry-run")
        updates = scanner.isGiven("--update")
        merges = scanner.isGiven("--merge")
        takesPasswords = !scanner.isGiven("--without-passwords")
        reportPath = scanner.values(of: "--report").first
        hashConfigPath = scanner.values(of: "--hash-config").first
        if hashConfigPath != nil, !takesPasswords {
            throw scanner.failure(.contradiction("--hash-config", "--without-passwords"))
        }
        source =
            try scanner.value(of: "--source", expected: "a name of letters, digits, dots, colons and hyphens") { text in
                let isName = (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isNameByte }
                return isName ? text : nil
            } ?? source
        isCSV = try scanner.value(of: "--format", expected: "json or csv") { ["json": false, "csv": true][$0] }
        for pair in scanner.values(of: "--provider") {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                throw scanner.failure(.invalid("--provider", expected: "THEIRS=OURS, such as oidc.acme=acme"))
            }
            providers[parts[0]] = parts[1]
        }
    }
}

/// Where users are to be written.
package struct ExportRequest: Equatable, Sendable {
    /// Nil for the standard output.
    package let path: String?
    package let hasHashes: Bool

    init(parsing arguments: ArraySlice<String>) throws(ArgumentsError) {
        let scanner = try ArgumentScanner(
            arguments, options: [.init(name: "--with-hashes", takesValue: false)], topic: .exportUsers)
        hasHashes = scanner.isGiven("--with-hashes")
        if scanner.positional.isEmpty {
            path = nil
        } else {
            path = try scanner.positional("FILE")[0]
        }
    }
}

extension UInt8 {
    fileprivate var isNameByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
