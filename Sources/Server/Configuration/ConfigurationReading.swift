/// A configuration, and where each of its settings came from.
package struct ConfigurationReading: Sendable {
    enum Origin: Equatable, Sendable {
        case standard
        case environment
        case file
        case settingsFile

        var note: String {
            switch self {
            case .standard: "default"
            case .environment: "environment"
            case .file: "file"
            case .settingsFile: "settings file"
            }
        }
    }

    /// A setting as it may be shown.
    struct Shown: Sendable {
        let text: String
        let origin: Origin
        /// The same for the same value, and no secret.
        let identity: String
    }

    package internal(set) var configuration: Configuration
    /// By setting.
    let shown: [String: Shown]
}

extension Configuration {
    /// Whether the command cannot do without the master key.
    package enum MasterKeyNeed: Sendable {
        case required
        case optional
    }

    /// Reads every setting, and finds everything that is wrong.
    ///
    /// - Parameters:
    ///   - environment: the variables of the process; others than settings are ignored.
    ///   - files: for the settings whose value is in a file.
    package static func read(
        environment: [String: String], files: FileReader, masterKey: MasterKeyNeed
    ) throws(ConfigurationProblems) -> ConfigurationReading {
        var reader = EnvironmentReader(environment: environment, files: files)
        for setting in Settings.all { reader.read(setting) }
        reader.readProviders()
        reader.refuseUnknownNames()
        reader.checkAuthorities()
        reader.readMailTemplates()
        if masterKey == .required { reader.require(\.secrets.masterKey, "KIDOBAN_MASTER_KEY") }
        reader.refuseContradictions()
        guard reader.problems.isEmpty else { throw ConfigurationProblems(problems: reader.problems) }
        return ConfigurationReading(configuration: reader.configuration, shown: reader.shown)
    }
}
