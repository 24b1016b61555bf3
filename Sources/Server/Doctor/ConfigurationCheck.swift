import Endpoints
import Identity
import Outbound

/// Whether the settings can be read, and whether those for development are left behind.
enum ConfigurationCheck {
    static let name = "configuration"

    /// All that is wrong, each as a finding.
    static func findings(of problems: ConfigurationProblems) -> [Finding] {
        problems.problems.map { problem in
            Finding(name, .problem("correct it; `kidoban serve --help` explains every setting"), problem.description)
        }
    }

    static func findings(of reading: ConfigurationReading) -> [Finding] {
        let given = reading.shown.values.count { $0.origin != .standard }
        let settings = given == 1 ? "1 setting is given" : "\(given) settings are given"
        return [Finding(name, .ok, "\(settings), the others have their defaults")] + unsafe(reading.configuration)
    }

    /// What is right on the machine of a developer only.
    private static func unsafe(_ configuration: Configuration) -> [Finding] {
        let settings = [issuer(configuration.issuer)] + switches(configuration)
        return settings.compactMap(\.self) + keysAtHome(configuration.federation)
    }

    private static func development(_ result: Finding.Result, _ detail: String) -> Finding {
        Finding("development", result, detail)
    }

    private static func issuer(_ issuer: String) -> Finding? {
        if IssuerURL.isOnThisMachine(issuer) {
            return development(
                .advice("for others, set KIDOBAN_ISSUER to the https URL under which clients reach it"),
                "KIDOBAN_ISSUER is on this machine: this is an installation for development")
        }
        guard !issuer.hasPrefix("https:") else { return nil }
        return development(
            .problem("put TLS in front of the server and set KIDOBAN_ISSUER to its https URL"),
            "KIDOBAN_ISSUER begins with http: passwords and tokens can be read on the way")
    }

    private static func switches(_ configuration: Configuration) -> [Finding?] {
        [
            !configuration.app.believesUnprovedIdentities
                ? nil
                : development(
                    .advice("set KIDOBAN_ECHOLOG_LEGACY_UNVERIFIED_OAUTH=false, unless this is a demonstration"),
                    "the app API lets anybody in as anybody"),
            configuration.limits.isEnforced
                ? nil
                : development(
                    .problem("set KIDOBAN_LIMITS=true, unless this is for load tests"),
                    "nothing is limited: whoever wants to can try passwords without end"),
            !configuration.restAuth.changesPasswordWithoutOld
                ? nil
                : development(
                    .advice("set KIDOBAN_REST_AUTH_PARITY=false once the clients send the old password"),
                    "whoever has a session at the rest-auth API can set a new password without the old one"),
        ]
    }

    private static func keysAtHome(_ federation: Configuration.Federation) -> [Finding] {
        federation.providers.filter { HTTPSClient.leadsHome($0.keySetURL) }.map { provider in
            development(
                .advice("unless that is meant, correct its JWKS_URL"), "the provider \(provider.id) has its keys on this machine")
        }
    }
}
