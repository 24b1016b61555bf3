package import Crypto
package import Identity
package import Networking

extension Configuration {
    /// Access tokens of clients that have no lifetime and format of their own.
    package struct Tokens: Sendable {
        package var accessTokenLifetime: Duration = .seconds(15 * 60)
        /// What JWTs are signed with: ES256 or RS256.
        package var signingAlgorithm: SignatureAlgorithm = .es256
        /// What the tokens of the built-in apps are good for, beside their user's own account here.
        package var scopes = Client.standardScopes

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

    /// What a password hash costs, and how many are computed at once.
    package struct Passwords: Sendable {
        package var memoryKiB = Int(Argon2id.Parameters().memoryKiB)
        package var iterations = Int(Argon2id.Parameters().iterations)
        package var parallelism = Int(Argon2id.Parameters().parallelism)
        /// Whether a check takes as long for users with bcrypt hashes as for others.
        package var hidesImported = true
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

    /// Registered clients.
    package struct Clients: Sendable {
        /// How long a client's record may be used before it is looked up again; so long does a removed one live on.
        package var cacheLifetime: Duration = .seconds(10)

        package init() {}
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
