import Crypto
import Identity

extension Settings {
    static let addresses = Section(
        title: "Addresses",
        settings: [
            Setting(
                "KIDOBAN_LISTEN", \.http.listen, .address,
                "Where applications reach the server. Port 0 lets the system choose."),
            Setting(
                "KIDOBAN_OPERATIONS_LISTEN", \.operations.listen, .address,
                "Where health and metrics are served; not for the public."),
            Setting(
                "KIDOBAN_ISSUER", \.issuer, .issuer,
                "The URL under which clients know this installation, and the `iss` of its tokens. The same on all copies."),
        ])

    static let identity = Section(
        title: "Keys and tokens",
        settings: [
            Setting(
                "KIDOBAN_MASTER_KEY", optional: \.secrets.masterKey, .masterKey,
                fallback: .nothing("none; `kidoban serve` needs one"),
                "The secret from which all keys are derived. The same on all copies. "
                    + "Who loses it loses all sessions and signing keys."),
            Setting(
                "KIDOBAN_PREVIOUS_MASTER_KEY", optional: \.secrets.previousMasterKey, .masterKey, fallback: .nothing("none"),
                "A second master key, for as long as the master key is being replaced: it seals nothing, but what it has sealed is opened, "
                    + "and tokens that were made with it stay good."),
            Setting(
                "KIDOBAN_SIGNING_ALGORITHM", \.tokens.signingAlgorithm, .choice([.es256, .rs256]),
                "What access tokens are signed with, for clients that have not chosen."),
            Setting(
                "KIDOBAN_AUDIENCE", optional: \.explicitAudience, .audience, fallback: .derived("the issuer", \.audience),
                "The `aud` of access tokens, for clients that have none of their own."),
            Setting(
                "KIDOBAN_SCOPES", \.tokens.scopes, .scopes,
                "The `scope` of access tokens of the built-in apps. `account`, which opens Kidoban's own endpoints, is added to it."
            ),
            Setting(
                "KIDOBAN_ACCESS_TOKEN_LIFETIME", \.tokens.accessTokenLifetime, .duration(.seconds(1) ... .days(1)),
                "How long an access token lives. At most `KIDOBAN_SESSION_IDLE_LIFETIME`."),
            Setting(
                "KIDOBAN_CLIENT_CACHE_LIFETIME", \.clients.cacheLifetime, .duration(.zero ... .hours(1)),
                "How long a client's record is used before it is looked up again; a removed client is refused that much later."
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
                "How long a session lives at most, used or not. At least `KIDOBAN_SESSION_IDLE_LIFETIME`."),
            Setting(
                "KIDOBAN_SESSIONS_PER_USER", \.sessions.perUser, .count(1...1000),
                "Sessions that a user may have; beyond them the oldest ends."),
            Setting(
                "KIDOBAN_REFRESH_GRACE", \.sessions.refreshGrace, .duration(.zero ... .hours(1)),
                "How long a used refresh token gives the same successor again, for retries and simultaneous refreshes."),
            Setting(
                "KIDOBAN_REFRESH_RECOVERY", \.sessions.refreshRecovery, .duration(.zero ... .days(30)),
                "How long a used refresh token gives a new successor if nobody has used the first, because its response was lost. "
                    + "At least `KIDOBAN_REFRESH_GRACE`. With `0s` for both, every second use ends the session."),
        ])

    static let passwords = Section(
        title: "Passwords and audit",
        settings: [
            Setting(
                "KIDOBAN_RECENT_SIGN_IN", \.accounts.recentSignIn, .duration(.seconds(30) ... .days(1)),
                "How long after signing in a user may change the ways in (link, unlink, a new password without the old one) or delete "
                    + "the account. Later it takes a new sign-in."),
            Setting(
                "KIDOBAN_SIGN_UP_BY_MAIL", \.accounts.signsUpByMail, .flag,
                "Whether a sign-up with a password answers the same for every address, without tokens, and the mail says the rest. A "
                    + "password then signs in only who has confirmed the address, in every API. A first sign-in with a provider that does not answer "
                    + "for the address makes an account that only claims it."),
            Setting(
                "KIDOBAN_ARGON2_MEMORY", \.passwords.memoryKiB,
                .count(7168...Int(Argon2id.Limits().memoryKiB), of: "KiB"),
                "Memory that a password hash takes while it is computed."),
            Setting(
                "KIDOBAN_ARGON2_ITERATIONS", \.passwords.iterations, .count(1...Int(Argon2id.Limits().iterations)),
                "Passes over that memory."),
            Setting(
                "KIDOBAN_ARGON2_PARALLELISM", \.passwords.parallelism, .count(1...Int(Argon2id.Limits().parallelism)),
                "Lanes of a hash. They are computed one after the other."),
            Setting(
                "KIDOBAN_HIDE_IMPORTED_HASHES", \.passwords.hidesImported, .flag,
                "Whether, while any user has a bcrypt hash, every sign-in takes its work too, so that the time does not tell whose account has one."
            ),
            Setting(
                "KIDOBAN_HASH_THREADS", \.passwords.threads, .count(0...64),
                "Passwords hashed at once. 0: one less than there are processors, at least one."),
            Setting(
                "KIDOBAN_HASH_QUEUE", \.passwords.queueLimit, .count(1...10_000),
                "Passwords that may wait to be hashed. Client addresses take turns; who has the most waiting makes room for others, and is "
                    + "refused with 503."),
            Setting(
                "KIDOBAN_HASH_QUEUE_ADDRESS", \.passwords.queueLimitPerAddress, .count(1...10_000),
                "Of them those from one client address, /64 of IPv6."),
            Setting(
                "KIDOBAN_HASH_QUEUE_SITE", \.passwords.queueLimitPerSite, .count(1...10_000), "And from one /48 of IPv6."),
            Setting(
                "KIDOBAN_HASH_QUEUE_ACCOUNT", \.passwords.queueLimitPerAccount, .count(1...10_000), "And for one account."),
            Setting(
                "KIDOBAN_HASH_QUEUE_CLIENT", \.passwords.queueLimitPerClient, .count(1...10_000),
                "And through one client: `app`, `rest-auth`."),
            Setting(
                "KIDOBAN_AUDIT_QUEUE", \.audit.queueLimit, .count(100...1_000_000),
                "Audit events that may wait to be written; more are dropped and counted."),
            Setting(
                "KIDOBAN_AUDIT_REFRESHES", \.audit.refreshes, .choice(RefreshRecording.Rule.allCases),
                "Which refreshes are audit events. `daily`: of each session the first of a day, and those from another address, by each "
                    + "loop of each copy. What is out of the ordinary, such as a reuse, always is."),
            Setting(
                "KIDOBAN_AUDIT_RETENTION", \.audit.retention, .duration(.zero ... .days(36_500)),
                "How long audit events are kept at least. They go by the month, when the newest of the month is as old. 0s: for ever."
            ).reloadable,
        ])
}
