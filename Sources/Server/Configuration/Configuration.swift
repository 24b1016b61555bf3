package import Endpoints
package import Identity
import Networking
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
    package var backends = Backends()
    package var restAuth = RestAuth.Options()
    package var app = AppAPI.Options()
    package var signIn = SignIn()
    package var accounts = AccountRules()
    package var authorization = AuthorizationServer.Policy()
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

/// Prints as its name: a configuration holds passwords, and nobody needs to print one.
extension Configuration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "Configuration" }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
