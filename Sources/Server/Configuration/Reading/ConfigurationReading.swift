import Networking
import Postgres

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
        reader.readPageTexts()
        if masterKey == .required { reader.require(\.secrets.masterKey, "KIDOBAN_MASTER_KEY") }
        reader.refuseContradictions()
        guard reader.problems.isEmpty else { throw ConfigurationProblems(problems: reader.problems) }
        return ConfigurationReading(configuration: reader.configuration, shown: reader.shown)
    }

    /// How to reach PostgreSQL, whatever else is wrong with the settings; nil if that is.
    static func database(environment: [String: String], files: FileReader) -> PostgresConfiguration? {
        var reader = EnvironmentReader(environment: environment, files: files)
        for setting in Settings.database.settings { reader.read(setting) }
        return reader.problems.isEmpty ? reader.configuration.database : nil
    }

    /// Where the server of this machine says whether it is ready, whatever else is wrong with the settings by now: one that runs keeps those
    /// that it has.
    static func operationsAddress(
        environment: [String: String], files: FileReader
    ) throws(ConfigurationProblems) -> SocketAddress {
        var reader = EnvironmentReader(environment: environment, files: files)
        let setting = "KIDOBAN_OPERATIONS_LISTEN"
        for candidate in Settings.all where candidate.name == setting { reader.read(candidate) }
        let problems = reader.problems.filter { $0.name == setting }
        guard problems.isEmpty else { throw ConfigurationProblems(problems: problems) }
        return reader.configuration.operations.listen
    }
}

/// What a later reading of the configuration changes.
extension ConfigurationReading {
    /// The settings that this reading has otherwise than an earlier one, in the order of the documentation.
    func changes(since earlier: ConfigurationReading) -> [Setting] {
        let settings = Settings.all(naming: configuration.federation.names)
        let names = Set(settings.map(\.name))
        let former = Settings.all(naming: earlier.configuration.federation.names).filter { !names.contains($0.name) }
        return (settings + former).filter { shown[$0.name].map(\.identity) != earlier.shown[$0.name].map(\.identity) }
    }

    /// A running server's configuration after this reading: the settings that can change while it runs are those of this reading, all
    /// others stay.
    func applied(to running: Configuration) -> Configuration {
        var result = running
        for setting in Settings.all(naming: configuration.federation.names) where setting.reloads {
            setting.transfer(configuration, &result)
        }
        return result
    }
}
