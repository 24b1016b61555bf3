package import Crypto
package import Identity
package import Networking

extension Settings {
    static let passwords = Section(
        title: "Passwords and audit",
        settings: [
            Setting(
                "KIDOBAN_RECENT_SIGN_IN", \.accounts.recentSignIn, .duration(.seconds(30) ... .days(1)),
                "How long after a sign-in a user may change the ways in or delete the account."),
            Setting(
                "KIDOBAN_SIGN_UP_BY_MAIL", \.accounts.signsUpByMail, .flag,
                "Whether a sign-up answers the same for every address, without tokens; the mail says the rest. A "
                    + "password then works once the address is confirmed, and a first sign-in with a provider that does not "
                    + "vouch for the address only claims it."),
            Setting(
                "KIDOBAN_CLAIMS_LIMIT", \.accounts.claimsLimit, .count(0...16_384, of: "bytes"),
                "How large a user's custom claims may be, as JSON; tokens carry them."),
            Setting(
                "KIDOBAN_ROLES_LIMIT", \.accounts.rolesLimit, .count(0...1000),
                "Roles that a user may have; tokens carry them."),
            Setting(
                "KIDOBAN_ARGON2_MEMORY", \.passwords.memoryKiB,
                .count(7168...Int(Argon2id.Limits().memoryKiB), of: "KiB"),
                "Memory of a password hash."),
            Setting(
                "KIDOBAN_ARGON2_ITERATIONS", \.passwords.iterations, .count(1...Int(Argon2id.Limits().iterations)),
                "Passes over that memory."),
            Setting(
                "KIDOBAN_ARGON2_PARALLELISM", \.passwords.parallelism, .count(1...Int(Argon2id.Limits().parallelism)),
                "Lanes of a hash, computed one after the other."),
            Setting(
                "KIDOBAN_HIDE_IMPORTED_HASHES", \.passwords.hidesImported, .flag,
                "Whether every sign-in takes the work of the costliest imported hash, so that its time does not tell who "
                    + "has one."),
            Setting(
                "KIDOBAN_IMPORTED_HASH_MEMORY", \.passwords.importedMemoryKiB, .count(1024...4_194_304, of: "KiB"),
                "Memory that an imported scrypt or argon2 hash may take; more is refused."
            ),
            Setting(
                "KIDOBAN_IMPORTED_HASH_ITERATIONS", \.passwords.importedIterations, .count(1000...100_000_000),
                "Iterations that an imported PBKDF2 hash may have."),
            Setting(
                "KIDOBAN_HASH_THREADS", \.passwords.threads, .count(0...64),
                "Passwords hashed at once. 0: one less than the processors, at least one."),
            Setting(
                "KIDOBAN_HASH_QUEUE", \.passwords.queueLimit, .count(1...10_000),
                "Passwords that may wait. Addresses take turns; in a full queue the one with the most waiting gets 503."),
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
                "Which refreshes are audit events. `daily`: a session's first of a day, and those from another address. "
                    + "A reuse always is."),
            Setting(
                "KIDOBAN_AUDIT_RETENTION", \.audit.retention, .duration(.zero ... .days(36_500)),
                "How long audit events are kept at least; whole months are dropped. 0s: for ever."
            ).reloadable,
        ])
}

extension Configuration {
    /// What a password hash costs, and how many are computed at once.
    package struct Passwords: Sendable {
        package var memoryKiB = Int(Argon2id.Parameters().memoryKiB)
        package var iterations = Int(Argon2id.Parameters().iterations)
        package var parallelism = Int(Argon2id.Parameters().parallelism)
        /// Whether a check takes as long for users with hashes of other systems as for others.
        package var hidesImported = true
        /// What hashes of other systems may cost.
        package var importedMemoryKiB = Int(ForeignHash.Limits().memoryKiB)
        package var importedIterations = Int(ForeignHash.Limits().iterations)
        /// Threads that hash, 0 for one less than there are processors.
        package var threads = 0
        /// Hashes that may wait for a thread; more are refused at once.
        package var queueLimit = 100
        /// Of them those for one client address, /64 of IPv6.
        package var queueLimitPerAddress = 32
        /// And for one /48 of IPv6.
        package var queueLimitPerSite = 48
        package var queueLimitPerAccount = 8
        package var queueLimitPerClient = 80

        package init() {}

        package var argon2: Argon2id.Parameters {
            Argon2id.Parameters(
                memoryKiB: UInt32(clamping: memoryKiB), iterations: UInt32(clamping: iterations),
                parallelism: UInt32(clamping: parallelism))
        }

        package var importedLimits: ForeignHash.Limits {
            ForeignHash.Limits(memoryKiB: UInt32(clamping: importedMemoryKiB), iterations: UInt32(clamping: importedIterations))
        }

        package var bounds: JobOwner.Bounds {
            JobOwner.Bounds(
                hashes: queueLimit, site: queueLimitPerSite, address: queueLimitPerAddress, account: queueLimitPerAccount,
                client: queueLimitPerClient)
        }

        /// Threads to make: never fewer than one.
        package var threadCount: Int {
            threads > 0 ? threads : max(1, EventLoopGroup.processors - 1)
        }
    }

    /// The log of who did what.
    package struct Audit: Sendable {
        /// Events that may wait to be written; more are dropped and counted.
        package var queueLimit = 10_000
        package var refreshes = RefreshRecording.Rule.none
        /// How long events are kept at least; zero for ever.
        package var retention: Duration = .seconds(400 * 86_400)
        /// Who is at the command line; nil for a server.
        package var operatorName: String?

        package init() {}
    }
}
