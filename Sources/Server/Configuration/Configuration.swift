import Crypto
package import Endpoints
package import HTTP
package import Identity
package import Logging
package import Networking
package import Outbound
package import Postgres
package import Redis

/// Everything that an operator decides. A value: a running server is given another one for what may change (`Application.apply`).
///
/// The defaults are those of the properties. Limits of what can be set are in `Settings`; whoever makes a value in code, as tests
/// do, may go beyond them.
package struct Configuration: Sendable {
    package var http = HTTP()
    package var operations = Operations()
    package var lifecycle = Lifecycle()
    /// Where further settings are, beside those of the environment.
    package var settingsFile: String?
    /// How far this machine's clock may be off the stores' before that is told of.
    package var clockTolerance: Duration = .seconds(5)
    /// Event loops, 0 for one for every two processors.
    package var loops = 0

    /// The `iss` of what we sign (RFC 7519 §4.1.1), and the URL under which clients know us: without a slash at its end.
    package var issuer = "http://localhost:8080"
    /// The `aud` of access tokens for clients that have none of their own; nil for the issuer.
    package var explicitAudience: String?

    package var tokens = Tokens()
    package var sessions = Sessions()
    package var cookies = Cookies()
    package var passwords = Passwords()
    package var clients = Clients()
    package var limits = LimitSettings()
    package var audit = Audit()
    package var federation = Federation()
    package var outbound = OutboundConfiguration()
    package var keySets = KeySetPolicy()
    package var providerTokens = ProviderTokens()
    package var apis = APIs()
    package var restAuth = RestAuth.Options()
    package var app = AppAPI.Options()
    package var accounts = AccountRules()
    package var mail = Mail()
    package var jobs = JobRunner.Policy()
    package var database = Configuration.localDatabase
    package var redis = RedisConfiguration(endpoint: .host("localhost", port: 6379))
    package var logging = Logging()
    package var secrets = Secrets()

    package init() {}

    /// The `aud` of access tokens for clients that have none of their own.
    package var audience: String {
        explicitAudience ?? issuer
    }

    /// Event loops to make.
    package var loopCount: Int {
        loops > 0 ? loops : EventLoopGroup.usualCount
    }

    static let localDatabaseURL = "postgresql://localhost/kidoban"

    private static let localDatabase: PostgresConfiguration = {
        do {
            return try PostgresConfiguration(connectionString: localDatabaseURL)
        } catch {
            // A constant that libpq cannot read is a mistake in the line above; there is nothing to go on with.
            fatalError("libpq cannot read the default connection string")
        }
    }()
}

extension Configuration {
    /// Where applications reach the server, and what they may send.
    package struct HTTP: Sendable {
        /// Port 0 lets the kernel choose.
        package var listen: SocketAddress = .ip(.v4(0), port: 8080)
        /// Accepted connections of the process, over all loops and both listeners; fewer when descriptors are scarce.
        package var maximumConnections = 10_000
        /// Of those at most so many of one address, or of one /64 of IPv6, unless it is a trusted proxy's.
        package var connectionsPerAddress = 1000
        /// Bytes that all connections together may hold of requests that are not whole and of answers that are not read.
        package var connectionMemory = 64 * 1024 * 1024
        package var limits = Limits()
        /// Who is believed what it says of its clients' addresses.
        package var proxies = TrustedProxies()

        package init() {}
    }

    /// Where health and metrics are served.
    package struct Operations: Sendable {
        /// At once: what asks there are a few balancers and collectors.
        static let maximumConnections = 100

        /// Port 0 lets the kernel choose.
        package var listen: SocketAddress = .ip(.v4(0x7F00_0001), port: 9090)

        package init() {}
    }

    /// The beginning and the end of the process.
    package struct Lifecycle: Sendable {
        /// Whether `serve` applies the migrations that are missing, instead of refusing to start without them.
        package var migratesAtStart = true
        /// How long readiness is refused before the listeners close, so that balancers turn away first.
        package var drainDelay: Duration = .seconds(1)
        /// How long requests that have begun may take after that.
        package var drainTimeout: Duration = .seconds(25)

        package init() {}
    }

    /// What is logged, and how it looks.
    package struct Logging: Sendable {
        /// The form of log lines.
        package enum Form: String, Sendable, CaseIterable {
            /// Text on a terminal, else JSON.
            case auto
            case json
            case text
        }

        package var level: LogLevel = .info
        package var form: Form = .auto
        /// A request that takes as long is a line of its own; zero for none.
        package var slowRequest: Duration = .seconds(1)

        package init() {}

        /// - Parameter isTerminal: whether the lines go to a terminal, which also decides whether they are coloured.
        package func format(isTerminal: Bool) -> LogFormat {
            switch form {
            case .auto: isTerminal ? .text(colour: true) : .json
            case .json: .json
            case .text: .text(colour: isTerminal)
            }
        }
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

/// Prints as its name: a configuration holds passwords, and nobody needs to print one.
extension Configuration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "Configuration" }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
