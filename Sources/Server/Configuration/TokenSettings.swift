package import Crypto
package import Identity
import Text

extension Settings {
    static let identity = Section(
        title: "Keys and tokens",
        settings: [
            Setting(
                "KIDOBAN_MASTER_KEY", optional: \.secrets.masterKey, .masterKey,
                fallback: .nothing("none; `kidoban serve` needs one"),
                "The secret from which all keys are derived, the same on all copies. Without it all sessions and signing "
                    + "keys are lost."),
            Setting(
                "KIDOBAN_PREVIOUS_MASTER_KEY", optional: \.secrets.previousMasterKey, .masterKey, fallback: .nothing("none"),
                "The other master key while one replaces it: it opens what it has sealed, and its tokens stay good."),
            Setting(
                "KIDOBAN_SIGNING_ALGORITHM", \.tokens.signingAlgorithm, .choice([.es256, .rs256]),
                "What signs the access tokens of clients that have not chosen."),
            Setting(
                "KIDOBAN_SIGNING_KEY_LIFETIME", \.tokens.signingKeyLifetime, .duration(.zero ... .days(3650)),
                "When a signing key is replaced by itself. 0s: never."
            ),
            Setting(
                "KIDOBAN_AUDIENCE", optional: \.explicitAudience, .audience, fallback: .derived("the issuer", \.audience),
                "The `aud` of access tokens of clients without their own. The same on all copies."),
            Setting(
                "KIDOBAN_APP_AUDIENCES", \.tokens.furtherAudiences, .audiences,
                "Further audiences of the built-in apps' access tokens, for backends that want their own URL."),
            Setting(
                "KIDOBAN_SCOPES", \.tokens.scopes, .scopes,
                "The `scope` of the built-in apps' access tokens. `account`, which opens Kidoban's own endpoints, is added."
            ),
            Setting(
                "KIDOBAN_ACCESS_TOKEN_LIFETIME", \.tokens.accessTokenLifetime, .duration(.seconds(1) ... .days(1)),
                "How long an access token lives. At most `KIDOBAN_SESSION_IDLE_LIFETIME`."),
            Setting(
                "KIDOBAN_CLIENT_CACHE_LIFETIME", \.clients.cacheLifetime, .duration(.zero ... .hours(1)),
                "How long a client's record is used before it is read again."
            ).reloadable,
        ])

    static let tokens = Section(
        title: "Sessions",
        settings: [
            Setting(
                "KIDOBAN_SESSION_IDLE_LIFETIME", \.sessions.idleLifetime, .duration(.seconds(1) ... .days(365)),
                "How long a session lives after its last refresh."),
            Setting(
                "KIDOBAN_SESSION_LIFETIME", \.sessions.absoluteLifetime, .duration(.seconds(1) ... .days(3650)),
                "How long at most, used or not. At least `KIDOBAN_SESSION_IDLE_LIFETIME`."),
            Setting(
                "KIDOBAN_SESSIONS_PER_USER", \.sessions.perUser, .count(1...1000),
                "Sessions a user may have; beyond them one ends of the client that has most or, for `offline_access`, "
                    + "has begun it."),
            Setting(
                "KIDOBAN_REFRESH_GRACE", \.sessions.refreshGrace, .duration(.zero ... .hours(1)),
                "How long a used refresh token gives the same successor again."),
            Setting(
                "KIDOBAN_REFRESH_RECOVERY", \.sessions.refreshRecovery, .duration(.zero ... .days(30)),
                "How long it gives a new successor if nobody has used the first. At least `KIDOBAN_REFRESH_GRACE`. With "
                    + "`0s` for both, every second use ends the session."),
        ])
}

extension Configuration {
    /// Access tokens of clients that have no lifetime and format of their own.
    package struct Tokens: Sendable {
        package var accessTokenLifetime: Duration = .seconds(15 * 60)
        /// Zero for keys that an operator replaces.
        package var signingKeyLifetime: Duration = .zero
        /// What JWTs are signed with: ES256 or RS256.
        package var signingAlgorithm: SignatureAlgorithm = .es256
        /// What the tokens of the built-in apps are good for, beside their user's own account here.
        package var scopes = Client.standardScopes

        /// Of the tokens of the built-in apps, beside that of the installation.
        package var furtherAudiences: [String] = []

        package var appScopes: [String] {
            scopes + (scopes.contains(AccountAccess.scope) ? [] : [AccountAccess.scope])
        }

        package init() {}
    }

    /// Sessions and the refresh of their tokens.
    package struct Sessions: Sendable {
        /// After the last use; sliding.
        package var idleLifetime = SessionLifetime.standard.idle
        /// After the sign-in; fixed.
        package var absoluteLifetime = SessionLifetime.standard.absolute
        /// Whole milliseconds. Never above `refreshRecovery`.
        package var refreshGrace = RefreshPolicy.standard.grace
        /// Whole milliseconds. Zero, with a grace of zero, is the strict mode.
        package var refreshRecovery = RefreshPolicy.standard.recovery
        /// Sessions of a user; the oldest ends when one more begins.
        package var perUser = 50

        package init() {}

        package var lifetime: SessionLifetime {
            SessionLifetime(idle: idleLifetime, absolute: absoluteLifetime)
        }

        package var refreshPolicy: RefreshPolicy {
            RefreshPolicy(grace: refreshGrace, recovery: refreshRecovery)
        }
    }

    /// Registered clients.
    package struct Clients: Sendable {
        /// How long a client's record may be used before it is looked up again; so long does a removed one live on.
        package var cacheLifetime: Duration = .seconds(10)

        package init() {}
    }

    /// What must never be seen.
    package struct Secrets: Sendable {
        /// Not nil when it was read as required.
        package var masterKey: MasterKey?
        /// Opens and checks what the other one would not.
        package var previousMasterKey: MasterKey?

        /// The one that seals, with the other one beside it.
        var acceptedMasterKeys: MasterKey? {
            masterKey?.accepting(previousMasterKey)
        }

        package init() {}
    }
}

extension SettingFormat where Value == MasterKey {
    static var masterKey: SettingFormat {
        SettingFormat(
            "32 random bytes in base64url, or in hexadecimal digits as `openssl rand -hex 32` prints",
            isSecret: true,
            parse: { text throws(SettingRefusal) in
                guard let key = MasterKey(SecretString(text)) else { throw SettingRefusal("is not a master key") }
                return key
            },
            render: { _, _ in SecretBytes.redaction })
    }
}

extension SettingFormat where Value == [String] {
    /// Scopes as tokens name them (RFC 6749 §3.3).
    static var scopes: SettingFormat {
        SettingFormat(
            "nothing, or scopes with a space between them",
            acceptsEmpty: true,
            parse: { text throws(SettingRefusal) in
                guard text.utf8.count <= 512 else { throw SettingRefusal("is longer than 512 bytes") }
                guard text.first != " ", text.last != " " else { throw SettingRefusal("has a blank at its beginning or end") }
                let scopes = text.split(separator: " ").map(String.init)
                guard scopes.allSatisfy(\.isScope) else { throw SettingRefusal("has a character that is not allowed") }
                guard Set(scopes).count == scopes.count else { throw SettingRefusal("names a scope twice") }
                return scopes
            },
            render: { value, _ in value.joined(separator: " ") })
    }
}

extension SettingFormat where Value == [String] {
    static var audiences: SettingFormat {
        let one = SettingFormat<String>.audience
        return SettingFormat<String>.list(
            "nothing, or audiences with commas between them, each of \(one.expectation)", acceptsEmpty: true,
            of: { text throws(SettingRefusal) in try one.parse(text) }, render: { $0 })
    }
}

extension SettingFormat where Value == String {
    /// What a token is for (RFC 7519 §4.1.3).
    static var audience: SettingFormat {
        SettingFormat(
            "1 to 255 visible ASCII characters, none of them a quote or a backslash",
            parse: { text throws(SettingRefusal) in
                guard text.isAudience else { throw SettingRefusal("is too long or has a character that is not allowed") }
                guard text != Client.anyAudience else { throw SettingRefusal("stands for every audience") }
                return text
            },
            render: { value, _ in value })
    }
}
