import Endpoints
import Identity
import Networking

extension Settings {
    /// The API is off until there is a project.
    static let firebase = Section(
        title: "Firebase Authentication's API",
        settings: [
            Setting(
                "KIDOBAN_FIREBASE_PROJECT", optional: \.firebase.project, .firebaseProject,
                fallback: .nothing("none: the API is off"),
                "The project: the audience of ID tokens."),
            Setting(
                "KIDOBAN_FIREBASE_API_KEYS", \.firebase.apiKeys, .apiKeys, "The keys that apps send; no secrets."),
            Setting(
                "KIDOBAN_FIREBASE_ISSUER", optional: \.firebase.issuer, .issuer,
                fallback: .derived("that of Google, of a project whose name begins with `demo-`", { $0.firebase.idTokenIssuer }),
                "The `iss` of ID tokens. Server SDKs take only `https://securetoken.google.com/` and the project: set "
                    + "that only if nobody has a project of that name at Google."),
            Setting(
                "KIDOBAN_FIREBASE_EMULATOR", \.firebase.isEmulator, .flag,
                "For tests: `Bearer owner` administers, any key will do, codes are listed. Only with `KIDOBAN_ISSUER` "
                    + "and `KIDOBAN_LISTEN` on this machine."),
            Setting(
                "KIDOBAN_FIREBASE_UNSIGNED_TOKENS", \.firebase.hasUnsignedTokens, .flag,
                "For tests: ID tokens and session cookies without a signature, as the Admin SDK for Node wants. Only with "
                    + "`KIDOBAN_FIREBASE_EMULATOR`."),
            Setting(
                "KIDOBAN_FIREBASE_HIDE_ADDRESSES", \.firebase.hidesAddresses, .flag,
                "Whether answers hide which addresses have accounts (email enumeration protection)."),
            Setting("KIDOBAN_FIREBASE_ANONYMOUS", \.firebase.allowsAnonymous, .flag, "Whether users may sign in without a name."),
            Setting(
                "KIDOBAN_FIREBASE_EMAIL_LINK", \.firebase.allowsEmailLinks, .flag,
                "Whether users may sign in by a mailed link."),
            Setting(
                "KIDOBAN_FIREBASE_DOMAINS", \.firebase.domains, .firebaseDomains,
                "Hosts that links may lead back to, beside the issuer's."),
            Setting(
                "KIDOBAN_FIREBASE_MINIMUM_PASSWORD", \.firebase.minimumPassword, .count(6...64, of: "characters"),
                "How long a new password must be. Firebase's own rule is 6, as always in the emulator."),
            Setting(
                "KIDOBAN_FIREBASE_MIGRATED_PROJECT", optional: \.firebase.migratedProject, .firebaseProject,
                fallback: .nothing("none"),
                "The project at Google that users came from; `POST /migrate/firebase` takes its ID tokens."
            ),
            Setting(
                "KIDOBAN_FIREBASE_MIGRATED_JWKS_URL", \.firebase.migratedKeySetURL, .keySetURL,
                "Its public keys."),
        ])
}

extension SettingFormat where Value == String {
    fileprivate static var firebaseProject: SettingFormat {
        SettingFormat(
            "6 to 30 lower-case letters, digits and hyphens, a letter first",
            parse: { text throws(SettingRefusal) in
                let isPlain = text.utf8.allSatisfy { byte in
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                        || byte == UInt8(ascii: "-")
                }
                guard (6...30).contains(text.utf8.count), isPlain, text.first?.isLetter == true else {
                    throw SettingRefusal("is no name of a project")
                }
                return text
            },
            render: { value, _ in value })
    }
}

extension SettingFormat where Value == [String] {
    fileprivate static var apiKeys: SettingFormat {
        list(
            "keys with commas between them, each 8 to 128 letters, digits, `-` and `_`", acceptsEmpty: true,
            of: { text throws(SettingRefusal) in
                guard (8...128).contains(text.utf8.count), text.isAudience else {
                    throw SettingRefusal("has a key that is not allowed")
                }
                return text
            }, render: { $0 })
    }

    fileprivate static var firebaseDomains: SettingFormat {
        list(
            "host names with commas between them, such as app.example.com", acceptsEmpty: true,
            of: { text throws(SettingRefusal) in
                let isHost = text.utf8.allSatisfy {
                    $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "@")
                }
                guard text.isAudience, isHost, text == text.lowercased() else {
                    throw SettingRefusal("has an element that is no host name in lower case")
                }
                return text
            }, render: { $0 })
    }
}

extension EnvironmentReader {
    /// What opens everything is for one machine, and what could be taken for Google's must be meant.
    mutating func refuseOpenFirebase() {
        let firebase = configuration.firebase
        guard let project = firebase.project else { return }
        if firebase.isEmulator, !IssuerURL.isOnThisMachine(configuration.issuer) {
            refuseContradiction(
                of: "KIDOBAN_FIREBASE_EMULATOR", with: "KIDOBAN_ISSUER",
                "would let anybody administer, and KIDOBAN_ISSUER is not on this machine")
        }
        if firebase.isEmulator, !isOfThisMachine(configuration.http.listen) {
            refuseContradiction(
                of: "KIDOBAN_FIREBASE_EMULATOR", with: "KIDOBAN_LISTEN",
                "would let anybody administer, and KIDOBAN_LISTEN is not an address of this machine alone")
        }
        if firebase.hasUnsignedTokens, !firebase.isEmulator {
            refuseContradiction(
                of: "KIDOBAN_FIREBASE_UNSIGNED_TOKENS", with: "KIDOBAN_FIREBASE_EMULATOR",
                "would let anybody be anybody, and KIDOBAN_FIREBASE_EMULATOR is not set")
        }
        if firebase.issuer == nil, !project.hasPrefix("demo-") {
            refuseContradiction(
                of: "KIDOBAN_FIREBASE_ISSUER", with: "KIDOBAN_FIREBASE_PROJECT",
                "is missing, but KIDOBAN_FIREBASE_PROJECT does not begin with demo-: say whose tokens these are")
        }
    }
}

extension EnvironmentReader {
    private func isOfThisMachine(_ address: SocketAddress) -> Bool {
        switch address {
        case .ip(.v4(let number), _): number >> 24 == 127
        case .ip(.v6(let upper, let lower), _): upper == 0 && lower == 1
        case .unix: true
        }
    }
}

extension Configuration {
    /// What the API was set to, and where the installation is.
    var placedFirebase: IdentityToolkit.Options {
        var options = firebase
        options.site = issuer
        options.audience = audience
        // As for every other body: four of them fit into what all connections may hold.
        options.importBodyLimit = min(options.importBodyLimit, http.connectionMemory / 4)
        return options
    }
}
