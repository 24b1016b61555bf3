import Endpoints
package import Identity

extension Settings {
    static let federation = Section(
        title: "Sign-in with other identity providers",
        settings: (preset(
            "APPLE", "Apple", .apple, example: "bundle ids and Services IDs", nonceForm: .plainOrHashed)
            + preset("GOOGLE", "Google", .google, example: "of the iOS, Android and web client", nonceForm: .plain)
            + [
                Setting(
                    providersName, \.federation.names, .providerNames, fallback: .nothing("none"),
                    "Further OpenID providers. Each has settings `KIDOBAN_PROVIDER_NAME_…`: its name in capitals, an "
                        + "underscore for a hyphen.")
            ]).map(\.reloadable))

    static let providersName = "KIDOBAN_PROVIDERS"
    private static let providerPrefix = "KIDOBAN_PROVIDER_"

    private static func preset(
        _ word: String, _ name: String, _ place: Configuration.Federation.Place, example: String, nonceForm: NonceRule.Form
    ) -> [Setting] {
        [
            Setting(
                "KIDOBAN_\(word)_CLIENT_IDS", \.federation[place].clientIDs, .clientIDs,
                fallback: .nothing("none; then \(name) is off"),
                "Whom \(name)'s id tokens may be for (`aud`): \(example)."),
            Setting(
                "KIDOBAN_\(word)_ISSUERS", \.federation[place].issuers, .issuers, "The `iss` of \(name)'s tokens."),
            Setting(
                "KIDOBAN_\(word)_JWKS_URL", \.federation[place].keySetURL, .keySetURL, "\(name)'s public keys."),
            Setting(
                "KIDOBAN_\(word)_NONCE", \.federation[place].nonceRule, .nonceRule(form: nonceForm),
                "The rule for the nonce; see `docs/federation.md`."),
        ]
    }

    /// The settings of the provider at a place of the list.
    static func ofProvider(_ id: ProviderID, at index: Int) -> [Setting] {
        ofProvider(providerPrefix + variableWord(of: id), .other(index)).map(\.reloadable)
    }

    private static func ofProvider(_ prefix: String, _ place: Configuration.Federation.Place) -> [Setting] {
        let required = Setting.Fallback.nothing("none; it is needed")
        return [
            Setting(
                prefix + "_CLIENT_IDS", \.federation[place].clientIDs, .clientIDs, fallback: required,
                "Whom its id tokens may be for (`aud`)."),
            Setting(
                prefix + "_ISSUERS", \.federation[place].issuers, .issuers, fallback: required, "The `iss` of its tokens."
            ),
            Setting(
                prefix + "_JWKS_URL", \.federation[place].keySetURL, .keySetURL, fallback: required, "Its public keys."),
            Setting(
                prefix + "_ALGORITHMS", \.federation[place].algorithms, .signatureAlgorithms, fallback: .value("RS256"),
                "What may sign its tokens."),
            Setting(
                prefix + "_NONCE", \.federation[place].nonceRule, .nonceRule(form: .plain), fallback: .value("optional"),
                "The rule for the nonce; see `docs/federation.md`."),
            Setting(
                prefix + "_EMAIL_TRUST", \.federation[place].emailTrust, .emailTrust, fallback: .value("never"),
                "When an address that it calls verified is enough to link an account."),
        ]
    }

    /// What the documentation shows for all of them.
    static let documentedSections =
        sections.map { section in
            guard section.title == federation.title else { return section }
            // Never read: it stands for the place of whichever provider.
            return Section(
                title: section.title,
                settings: section.settings + ofProvider(providerPrefix + "NAME", .other(0)).map(\.reloadable))
        }

    /// All settings that there are when these providers are named.
    static func all(naming providers: [ProviderID]) -> [Setting] {
        all + providers.enumerated().flatMap { ofProvider($0.element, at: $0.offset) }
    }

    /// Whether it can only be meant for a provider whose name is missing from the list.
    static func isOfProvider(_ name: String) -> Bool {
        name.hasPrefix(providerPrefix)
    }

    /// `my-idp` is `MY_IDP`. No two providers share a word, because a name has no underscores.
    private static func variableWord(of id: ProviderID) -> String {
        id.text.uppercased().split(separator: "-", omittingEmptySubsequences: false).joined(separator: "_")
    }
}

extension Configuration {
    /// The identity providers whose word counts.
    package struct Federation: Sendable {
        package var apple = IdentityProvider.apple(clientIDs: [])
        package var google = IdentityProvider.google(clientIDs: [])
        /// Those that the operator has named, in that order.
        package var others: [IdentityProvider] = []

        package init() {}

        /// Those that are switched on: each has at least one client id.
        package var providers: [IdentityProvider] {
            ([apple, google] + others).filter { !$0.clientIDs.isEmpty }
        }

        /// The provider of that name, if it is switched on.
        package func provider(_ id: ProviderID) -> IdentityProvider? {
            providers.first { $0.id == id }
        }
    }
}

extension Configuration.Federation {
    /// Where a provider is kept.
    enum Place: Hashable, Sendable {
        case apple
        case google
        /// By its position in the list, which must have it.
        case other(Int)
    }

    subscript(place: Place) -> IdentityProvider {
        get {
            switch place {
            case .apple: apple
            case .google: google
            case .other(let index): others[index]
            }
        }
        set {
            switch place {
            case .apple: apple = newValue
            case .google: google = newValue
            case .other(let index): others[index] = newValue
            }
        }
    }

    /// The names of the others, of which each has settings of its own.
    var names: [ProviderID] {
        get { others.map(\.id) }
        set { others = newValue.map { IdentityProvider(id: $0, issuers: [], keySetURL: "", clientIDs: []) } }
    }
}

extension Configuration {
    /// Where the providers' key sets are.
    var keySetURLs: [ProviderID: String] {
        var urls = federation.providers.map { ($0.id, $0.keySetURL) }
        if federation.provider(.google) != nil, googleEventKeys == .googleEvents {
            urls.append((.googleEvents, providerTokens.googleEventKeysURL))
        }
        if firebase.migratedProject != nil { urls.append((FirebaseMigration.keysID, firebase.migratedKeySetURL)) }
        return Dictionary(urls) { first, _ in first }
    }
}
