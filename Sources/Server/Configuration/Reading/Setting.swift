/// One thing that can be configured: what it is called and means, what it accepts, and which part of the configuration it sets.
///
/// The list of all is the one source of what is read, of the help text and of the table in the documentation.
package struct Setting: Sendable {
    /// What holds when nothing is given.
    enum Fallback: Sendable {
        case value(String)
        /// Taken from another setting: what the documentation says, and the value.
        case derived(String, @Sendable (Configuration) -> String)
        /// Nothing, and what that means.
        case nothing(String)
    }

    /// The name of the environment variable.
    package let name: String
    /// For the help text and the documentation: whole sentences, with Markdown's backquotes at most.
    let meaning: String
    /// What is accepted, to follow "expected".
    let expectation: String
    let fallback: Fallback
    /// Whether the value may be in a file that `NAME_FILE` names: secrets, and addresses that hold one.
    let mayComeFromFile: Bool
    let acceptsEmpty: Bool
    /// Whether a new value is taken over when a running server reads its configuration anew (`Worker.apply`, `Application.apply`).
    private(set) var reloads = false
    /// Copies the value of one configuration to another.
    let transfer: @Sendable (Configuration, inout Configuration) -> Void
    /// Reads the text into the configuration and gives it back as it may be shown.
    let assign: @Sendable (String, inout Configuration) throws(SettingRefusal) -> String

    /// The name of the variable that names a file with the value.
    var fileName: String {
        name + "_FILE"
    }

    /// - Parameter fallback: nil for the value that the configuration's own default has.
    init<Value: Sendable>(
        _ name: String, _ property: any WritableKeyPath<Configuration, Value> & Sendable, _ format: SettingFormat<Value>,
        fallback: Fallback? = nil, _ meaning: String
    ) {
        self.name = name
        self.meaning = meaning
        self.fallback = fallback ?? .value(format.render(Configuration()[keyPath: property], ""))
        expectation = format.expectation
        mayComeFromFile = format.isSecret
        acceptsEmpty = format.acceptsEmpty
        transfer = { source, target in target[keyPath: property] = source[keyPath: property] }
        assign = { text, configuration throws(SettingRefusal) in
            let value = try format.parse(text)
            configuration[keyPath: property] = value
            return format.render(value, text)
        }
    }

    /// The same for a property that may be without a value.
    init<Value: Sendable>(
        _ name: String, optional property: any WritableKeyPath<Configuration, Value?> & Sendable, _ format: SettingFormat<Value>,
        fallback: Fallback, _ meaning: String
    ) {
        self.init(name, property, format.optional, fallback: fallback, meaning)
    }

    /// The same setting, one that reloads.
    var reloadable: Setting {
        var setting = self
        setting.reloads = true
        return setting
    }

    /// The default as the documentation says it.
    var defaultText: String {
        switch fallback {
        case .value(let text): text
        case .derived(let note, _), .nothing(let note): note
        }
    }
}

/// All settings, in the order in which they are documented.
package enum Settings {
    /// Settings that belong together, under a title.
    struct Section: Sendable {
        let title: String
        let settings: [Setting]

        /// The same where all of them can change while the server runs.
        var reloadable: Section { Section(title: title, settings: settings.map(\.reloadable)) }
    }

    static let sections = [
        addresses, proxies, apis, backends, restAuth, firebase, identity, tokens, cookies, signIn, authorization, passwords,
        limits, federation,
        providerTokens,
        database,
        redis, mail, jobs, outbound, requests, lifecycle, logging,
    ]

    static let all = sections.flatMap(\.settings)

    static let prefix = "KIDOBAN_"

    /// Every name that may be given, those of files included.
    static let names = names(of: all)

    static func names(of settings: [Setting]) -> Set<String> {
        Set(settings.flatMap { setting in setting.mayComeFromFile ? [setting.name, setting.fileName] : [setting.name] })
    }
}
