import Crypto
import Outbound
import Redis

/// Reads settings one by one and collects what is wrong with them.
struct EnvironmentReader {
    /// What `make run` tells other programs about a server, in variables named like settings.
    private static let demonstration: Set<String> = [
        "KIDOBAN_URL", "KIDOBAN_OPERATIONS_URL", "KIDOBAN_CLIENT_ID", "KIDOBAN_CLIENT_SECRET", "KIDOBAN_PID",
        "KIDOBAN_DEV_ISSUER_URL",
    ]
    private static let testPrefix = "KIDOBAN_TEST_"

    let environment: [String: String]
    let files: FileReader
    private(set) var configuration = Configuration()
    private(set) var problems: [ConfigurationProblem] = []
    private(set) var shown: [String: ConfigurationReading.Shown] = [:]
    private var refused: Set<String> = []
    private var settingsFile = SettingsFile()

    init(environment: [String: String], files: FileReader) {
        self.environment = environment
        self.files = files
        guard let path = environment[SettingsFile.setting], !path.isEmpty else { return }
        do {
            settingsFile = SettingsFile(try files.read(path))
            problems = settingsFile.problems
            refused = Set(problems.map(\.name))
        } catch {
            refuse(SettingsFile.setting, .refused(error.reason))
        }
    }

    /// Must come after what names the settings of providers, and says so first.
    mutating func refuseUnknownNames() {
        let names = Settings.names(of: Settings.all(naming: configuration.federation.names))
        let unknown = environment.filter { name, value in
            name.hasPrefix(Settings.prefix) && !names.contains(name) && !Self.demonstration.contains(name)
                && !name.hasPrefix(Self.testPrefix) && !ServiceLink.isOne(name: name, value: value)
                // As long as the list of providers cannot be read, nobody knows which settings they have.
                && !isOfUnknownProvider(name)
        }
        // A file of settings holds nothing else.
        let strange = settingsFile.entries.keys.filter { name in
            !names.contains(name) && unknown[name] == nil && !isOfUnknownProvider(name)
        }
        let problems = (unknown.keys + strange).sorted().map { name in
            ConfigurationProblem(name, .unknown(nearest: Self.nearest(to: name, among: names)), line: line(of: name))
        }
        self.problems.insert(contentsOf: problems, at: 0)
        if let entry = settingsFile.entries[SettingsFile.setting] {
            let reason = ConfigurationProblem.Reason.refused("is in the very file that it names")
            self.problems.append(ConfigurationProblem(SettingsFile.setting, reason, line: entry.line))
        }
    }

    /// Whether nobody knows if there is such a setting.
    private func isOfUnknownProvider(_ name: String) -> Bool {
        Settings.isOfProvider(name) && refused.contains(Settings.providersName)
    }

    /// Where the file of settings gives a name that the environment does not.
    private func line(of name: String) -> Int? {
        environment[name] == nil ? settingsFile.entries[name]?.line : nil
    }

    /// A setting of a provider that has not been named lacks the name in the list.
    private static func nearest(to name: String, among names: Set<String>) -> String {
        let candidates = Settings.isOfProvider(name) ? names.filter(Settings.isOfProvider) : names
        return NearestName.of(name, among: candidates.sorted()) ?? Settings.providersName
    }

    /// Reads what is set for the providers that are named, each of which needs what no token can be checked without.
    mutating func readProviders() {
        for (index, id) in configuration.federation.names.enumerated() {
            for setting in Settings.ofProvider(id, at: index) {
                read(setting)
                guard case .nothing = setting.fallback, !isGiven(setting.name) else { continue }
                refuse(setting.name, .missing, expected: setting.expectation)
            }
        }
    }

    mutating func read(_ setting: Setting) {
        guard let (name, text, origin) = source(of: setting) else { return }
        guard !text.isEmpty || setting.acceptsEmpty else {
            return refuse(setting, name, .refused("is empty"), expected: setting.expectation)
        }
        do {
            let rendered = try setting.assign(text, &configuration)
            let identity = setting.mayComeFromFile ? SHA256.hash(text).hex : rendered
            shown[setting.name] = ConfigurationReading.Shown(text: rendered, origin: origin, identity: identity)
        } catch {
            refuse(setting, name, .refused(error.reason), expected: setting.expectation)
        }
    }

    /// Takes over what is in the files that a setting leads to.
    /// - Parameter identity: the same for the same contents.
    mutating func complete(_ name: String, identity: String, _ change: (inout Configuration) -> Void) {
        change(&configuration)
        guard let value = shown[name] else { return }
        shown[name] = ConfigurationReading.Shown(text: value.text, origin: value.origin, identity: identity)
    }

    /// A file that is named must be there.
    mutating func checkAuthorities() {
        check(configuration.redis.authoritiesFile, "KIDOBAN_REDIS_CA_FILE")
        check(configuration.outbound.authoritiesFile, "KIDOBAN_CA_FILE")
        check(configuration.mail.authoritiesFile, "KIDOBAN_SMTP_AUTHORITIES_FILE")
    }

    private mutating func check(_ path: String?, _ name: String) {
        guard let path else { return }
        do {
            _ = try files.read(path)
        } catch {
            refuse(name, .refused(error.reason))
        }
    }

    mutating func require<Value>(_ property: KeyPath<Configuration, Value?>, _ name: String) {
        guard configuration[keyPath: property] == nil, !refused.contains(name) else { return }
        let setting = Settings.all.first { $0.name == name }
        refuse(name, .missing, expected: setting?.expectation)
    }

    /// Reports a setting that is right by itself but not with another; not when either is wrong anyway.
    mutating func refuseContradiction(of name: String, with other: String, _ reason: String) {
        guard !refused.contains(name), !refused.contains(other) else { return }
        problems.append(ConfigurationProblem(name, .refused(reason), line: line(of: name)))
    }

    private func isGiven(_ name: String) -> Bool {
        environment[name] != nil || settingsFile.entries[name] != nil
    }

    /// The variable that gives a setting, its value and where it comes from; nil after a problem, or if nothing gives it.
    ///
    /// What the environment gives in one of its two forms is not looked for in the file of settings.
    private mutating func source(of setting: Setting) -> (name: String, text: String, ConfigurationReading.Origin)? {
        let names = setting.mayComeFromFile ? [setting.name, setting.fileName] : [setting.name]
        let isOfEnvironment = names.contains { environment[$0] != nil }
        let given = { [environment, settingsFile] (name: String) in
            isOfEnvironment ? environment[name] : settingsFile.entries[name]?.text
        }
        let value = setting.name == SettingsFile.setting ? environment[setting.name] : given(setting.name)
        if setting.mayComeFromFile, let path = given(setting.fileName) {
            guard value == nil else {
                refuse(setting, setting.name, .givenTwice, expected: "one of them")
                return nil
            }
            return text(ofFile: path, for: setting).map { (setting.fileName, $0, .file) }
        }
        if let value {
            if isOfEnvironment { return (setting.name, value, .environment) }
            guard !setting.mayComeFromFile || settingsFile.isPrivate else {
                refuse(
                    setting, setting.name,
                    .refused("is a secret in a file that others can read\(settingsFile.place?.text ?? "")"),
                    expected: "chmod 600, or \(setting.fileName)")
                return nil
            }
            return (setting.name, value, .settingsFile)
        }
        switch setting.fallback {
        case .value(let text) where !refused.contains(setting.name): return (setting.name, text, .standard)
        case .value, .derived, .nothing: return nil
        }
    }

    private mutating func text(ofFile path: String, for setting: Setting) -> String? {
        let contents: FileContents
        do {
            contents = try files.read(path)
        } catch {
            refuse(setting, setting.fileName, .refused(error.reason), expected: "the path of a file")
            return nil
        }
        guard contents.isPrivate else {
            refuse(
                setting, setting.fileName, .refused("names a file that others can read\(contents.place?.text ?? "")"),
                expected: "one for its owner only (chmod 600)")
            return nil
        }
        let end = contents.bytes.lastIndex { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") } ?? -1
        guard let text = String(validating: contents.bytes[...end], as: UTF8.self) else {
            refuse(setting, setting.fileName, .refused("names a file that is not text"), expected: setting.expectation)
            return nil
        }
        return text
    }

    private mutating func refuse(
        _ setting: Setting, _ name: String, _ reason: ConfigurationProblem.Reason, expected: String
    ) {
        refused.insert(setting.name)
        problems.append(ConfigurationProblem(name, reason, expected: expected, line: line(of: name)))
    }

    mutating func refuse(_ name: String, _ reason: ConfigurationProblem.Reason, expected: String? = nil) {
        refused.insert(name)
        problems.append(ConfigurationProblem(name, reason, expected: expected, line: line(of: name)))
    }
}
