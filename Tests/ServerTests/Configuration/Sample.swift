@testable import Server

/// Short ways to read a configuration.
enum Sample {
    static let masterKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

    static let noFiles = FileReader { _ throws(FileFault) in throw .missing }

    /// Files in memory, by path.
    static func files(_ files: [String: FileContents]) -> FileReader {
        FileReader { path throws(FileFault) in
            guard let contents = files[path] else { throw .missing }
            return contents
        }
    }

    static func file(_ text: String, mode: UInt32 = 0o600, owner: FileContents.Owner = .thisUser) -> FileContents {
        FileContents(bytes: Array(text.utf8), mode: mode, owner: owner)
    }

    static func read(
        _ environment: [String: String], files: FileReader = noFiles, masterKey: Configuration.MasterKeyNeed = .optional
    ) throws(ConfigurationProblems) -> Configuration {
        try Configuration.read(environment: environment, files: files, masterKey: masterKey).configuration
    }

    static func problems(
        _ environment: [String: String], files: FileReader = noFiles, masterKey: Configuration.MasterKeyNeed = .optional
    ) -> [ConfigurationProblem] {
        do throws(ConfigurationProblems) {
            _ = try read(environment, files: files, masterKey: masterKey)
            return []
        } catch {
            return error.problems
        }
    }

    /// What `kidoban config` says of one setting.
    static func shown(
        _ name: String, _ environment: [String: String], files: FileReader = noFiles
    ) throws(ConfigurationProblems) -> String? {
        let reading = try Configuration.read(environment: environment, files: files, masterKey: .optional)
        return ConfigurationListing.lines(of: reading).split(separator: "\n").first { $0.hasPrefix(name + "=") }.map(String.init)
    }
}
