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
        addresses, proxies, apis, restAuth, identity, tokens, cookies, passwords, limits, federation, providerTokens, database,
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
