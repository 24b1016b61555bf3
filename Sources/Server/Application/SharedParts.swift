import Crypto
import Endpoints
import HTTP
import Identity
import Logging
import Networking
import Outbound
import Postgres
import Redis
import Synchronization
import Text

/// What all loops of a process share: immutable values, and parts that are safe to use from any thread.
struct SharedParts: Sendable {
    let configuration: Configuration
    let logger: Logger
    let system: SystemContext
    let masterKey: MasterKey
    let sessionTokenKey: SessionTokenKey
    let hashing: BlockingPool
    /// For libpq's connecting and the making of keys: work that waits more than it computes.
    let connecting: BlockingPool
    /// For the name look-ups of Redis, apart from `connecting`: a PostgreSQL that hangs must not keep Redis away.
    let resolving: BlockingPool
    /// What has ended on any loop and a failover of Redis must not bring back.
    let recentWrites: RecentWrites
    /// For what looks after the process itself.
    let housekeeping: BlockingPool
    /// Asks other servers, on threads of its own.
    let outbound: HTTPSClient
    /// For providers' token endpoints, apart from their key sets: many slow exchanges must not keep keys away.
    let tokenCalls: HTTPSClient
    /// For what is asked while somebody signs in, apart from both.
    let signInCalls: HTTPSClient
    /// For access tokens that are presented, apart from them all: anybody can make one up.
    let accessTokenCalls: HTTPSClient
    let hasher: PasswordHasher
    let app: Client
    /// The app once more, as it speaks rest-auth.
    let restAuth: Client
    /// The app once more, as it speaks Firebase; nil where that API is off.
    let firebase: Client?
    let mailSeal: MailSeal
    let accountChangeSeal: AccountChangeSeal
    let jobSignal = JobSignal()
    let limitKey: LimitKey
    let interactionMarks: InteractionMarks
    let dpopNonces: DPoPNonces
    let sharedSecretTokens: SharedSecretTokens
    let initialAccessTokens: InitialAccessTokens
    let revocationPlaces: RevocationPlaces
    let hotTokens: HotTokenLoops
    let phase = ServerPhase()
    let reloads = ReloadState()
    let http: HTTPServer.Configuration

    /// Threads for `connecting`.
    static func connectingPool() -> BlockingPool {
        BlockingPool(label: "kidoban.connect", threads: 2, queueLimit: 256)
    }

    /// - Throws: `StartError.configuration`.
    init(
        _ configuration: Configuration, connecting: BlockingPool = Self.connectingPool(), logger: Logger, system: SystemContext
    ) throws(StartError) {
        guard let masterKey = configuration.secrets.acceptedMasterKeys else {
            throw .configuration("KIDOBAN_MASTER_KEY is missing")
        }
        self.configuration = configuration
        self.logger = logger
        self.system = system
        self.masterKey = masterKey
        revocationPlaces = RevocationPlaces(limit: configuration.backends.revocationListeners)
        hotTokens = HotTokenLoops(number: system.random(8).reduce(0) { $0 << 8 | UInt64($1) })
        hashing = BlockingPool(
            label: "kidoban.hash", threads: configuration.passwords.threadCount,
            bounds: configuration.passwords.bounds, niceness: 5)
        self.connecting = connecting
        resolving = BlockingPool(label: "kidoban.resolve", threads: 1, queueLimit: 256)
        recentWrites = RecentWrites(window: configuration.redis.repeatWindow, limit: configuration.redis.repeatLimit)
        housekeeping = BlockingPool(label: "kidoban.keep", threads: 1, queueLimit: 64)
        app = Self.app(configuration)
        restAuth = Self.restAuth(configuration, app: app)
        firebase = configuration.firebase.project == nil ? nil : Self.firebase(configuration, app: app)
        do throws(OutboundError) {
            outbound = try HTTPSClient(configuration.outbound)
            tokenCalls = try HTTPSClient(configuration.outbound)
            signInCalls = try HTTPSClient(configuration.outbound)
            accessTokenCalls = try HTTPSClient(configuration.outbound)
        } catch {
            throw .configuration("KIDOBAN_CA_FILE cannot be used: \(error)")
        }
        do throws(CryptoError) {
            sessionTokenKey = try SessionTokenKey(masterKey)
            mailSeal = try MailSeal(masterKey)
            accountChangeSeal = try AccountChangeSeal(masterKey)
            limitKey = try LimitKey(masterKey)
            interactionMarks = try InteractionMarks(masterKey)
            dpopNonces = try DPoPNonces(masterKey)
            sharedSecretTokens = try SharedSecretTokens(masterKey)
            initialAccessTokens = try InitialAccessTokens(masterKey)
            hasher = try PasswordHasher(
                configuration.passwords.argon2, hidesImported: configuration.passwords.hidesImported,
                importedLimits: configuration.passwords.importedLimits, pool: hashing, random: system.random)
        } catch {
            throw .configuration("the master key or the password parameters cannot be used: \(error)")
        }
        http = Self.http(configuration, phase, clock: system.now)
    }

    private static func http(
        _ configuration: Configuration, _ phase: ServerPhase, clock: @escaping @Sendable () -> Timestamp
    ) -> HTTPServer.Configuration {
        let budget = ConnectionBudget(
            wanted: configuration.http.maximumConnections, otherDescriptors: configuration.ownDescriptors)
        return HTTPServer.Configuration(
            limits: configuration.http.limits, budget: budget,
            ledger: ClientLedger(
                connectionsEach: configuration.http.connectionsPerAddress,
                // A few of the largest requests have to fit.
                byteLimit: max(configuration.http.connectionMemory, 4 * configuration.http.limits.body),
                places: budget.limit),
            phase: phase, proxies: configuration.http.proxies, slowRequest: configuration.logging.slowRequest, clock: clock)
    }

    /// Ends the threads.
    func stop() {
        hashing.stop()
        connecting.stop()
        resolving.stop()
        housekeeping.stop()
        outbound.stop()
        tokenCalls.stop()
        signInCalls.stop()
        accessTokenCalls.stop()
    }

    var clockTolerance: ClockTolerance {
        ClockTolerance(limit: configuration.clockTolerance, system: system)
    }

    func randomNumber() -> UInt64 {
        system.random(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The keeper of the providers' key sets, to live on `loop`.
    func keySetKeeper(_ loop: EventLoop) -> KeySetKeeper {
        return KeySetKeeper(
            configuration.keySetURLs, policy: configuration.keySets, client: outbound, loop: loop,
            logger: logger, random: system.random)
    }

    static let appID = "app"
    static let restAuthID = "rest-auth"
    static let firebaseID = "firebase"

    /// The clients that are there without a record.
    var builtInClients: [Client] { [app, restAuth] + (firebase.map { [$0] } ?? []) }

    /// The team's own app: the client of every protocol that knows none. It is public, because it is on everybody's phone.
    private static func app(_ configuration: Configuration) -> Client {
        guard let id = ClientID(appID) else { preconditionFailure("a constant client id") }
        return Client(
            id: id, name: "App", authentication: .publicClient, permissions: [.signIn],
            audiences: [configuration.audience] + configuration.tokens.furtherAudiences.filter { $0 != configuration.audience },
            accessTokenFormat: configuration.tokens.signingAlgorithm == .rs256 ? .jwtRS256 : .jwtES256,
            accessTokenLifetime: configuration.tokens.accessTokenLifetime, sessionLifetime: configuration.sessions.lifetime,
            scopes: configuration.tokens.appScopes, rotatesRefreshTokens: configuration.apis.rotatesRefreshTokens,
            isFirstParty: true)
    }

    static func firebase(_ configuration: Configuration, app: Client) -> Client {
        guard let id = ClientID(firebaseID) else { preconditionFailure("a constant client id") }
        return configuration.firebase.client(id, like: app)
    }

    private static func restAuth(_ configuration: Configuration, app: Client) -> Client {
        guard let id = ClientID(restAuthID) else { preconditionFailure("a constant client id") }
        return configuration.restAuth.client(id, like: app)
    }
}

/// Whether the configuration that the last SIGHUP has asked for was refused, so that the one before is still in force.
final class ReloadState: Sendable {
    private let rejected = Atomic(false)

    var isRejected: Bool { rejected.load(ordering: .relaxed) }

    func note(rejected isRejected: Bool) {
        rejected.store(isRejected, ordering: .relaxed)
    }
}
