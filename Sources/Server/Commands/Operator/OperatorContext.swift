import Crypto
import Endpoints
import Identity
import Logging
import Networking
import Postgres
import Redis
import Text

/// Why a command of an operator has not done what it was asked for.
struct Complaint: Error {
    let text: String
    var status = ExitStatus.failure

    init(_ text: String, status: Int32 = ExitStatus.failure) {
        self.text = text
        self.status = status
    }
}

/// The parts of one loop, put together as the server does, for a command that looks at or changes what all copies share. Nothing
/// listens.
actor OperatorContext {
    private nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    nonisolated let worker: Worker
    nonisolated let system: SystemContext
    private nonisolated let administrator: Administrator

    /// Where they are, without credentials.
    private nonisolated let stores: (postgres: String, redis: String)
    /// Which of them has failed at last.
    private let waits = WaitTimes()

    private init(_ worker: Worker, _ system: SystemContext, _ configuration: Configuration) {
        stores = (configuration.database.connectionString.target, "\(configuration.redis)")
        self.worker = worker
        self.system = system
        administrator = .command(configuration.audit.operatorName)
        loop = worker.loop
    }

    /// Who asks, for the audit events.
    static let caller = Caller(address: nil, referenceID: nil, device: DeviceDescription("kidoban"))

    /// Lends a context to `body`, and prints what it complains about.
    /// - Returns: one of `ExitStatus`.
    static func run(
        _ configuration: Configuration, _ console: Console,
        _ body: @Sendable (OperatorContext) async throws(Complaint) -> Int32
    ) async -> Int32 {
        do throws(Complaint) {
            try checkSchema(configuration)
            return try await open(configuration, console, body)
        } catch {
            console.complain(error.text)
            return error.status
        }
    }

    private static func open(
        _ configuration: Configuration, _ console: Console, _ body: @Sendable (OperatorContext) async throws(Complaint) -> Int32
    ) async throws(Complaint) -> Int32 {
        var configuration = configuration
        // What needs the one of the installation says so (`Command.needsMasterKey`); for the rest any will do.
        configuration.secrets.masterKey =
            configuration.secrets.masterKey ?? MasterKey(SecretString(Hex.encode(SecureRandom.bytes(MasterKey.byteCount))))
        let system = SystemContext(now: { Timestamp.now() }, random: { SecureRandom.bytes($0) })
        let shared = try starting { () throws(StartError) in
            try SharedParts(configuration, logger: .disabled, system: system)
        }
        defer { shared.stop() }
        let group: EventLoopGroup = try starting { () throws(StartError) in try Self.group() }
        defer { group.stop() }
        let worker = try starting { () throws(StartError) in
            try Worker(group.loops[0], shared, shared.keySetKeeper(group.loops[0]))
        }
        let context = OperatorContext(worker, system, configuration)
        worker.loop.start { await worker.redis.run() }
        let outcome: Result<Int32, Complaint>
        do throws(Complaint) {
            outcome = .success(try await body(context))
        } catch {
            outcome = .failure(error)
        }
        await worker.audit.flush()
        let unwritten = await worker.audit.unwritten
        await worker.stop()
        let lost = Int(await context.run { $0.metrics.snapshot.auditEventsDropped }) - unwritten.count
        guard lost > 0 || !unwritten.isEmpty else { return try outcome.get() }
        // What was done stays done, but must not go unnoticed.
        if !unwritten.isEmpty {
            console.complain("PostgreSQL did not take these audit events. Keep the lines, and bring them in (operations.md):")
            for line in unwritten { console.printAside(line) }
        }
        if lost > 0 {
            console.complain("PostgreSQL has refused \(Counted(lost, "audit event")) of this command: see its log")
        }
        _ = try outcome.get()
        throw Complaint("the command itself is done")
    }

    private static func group() throws(StartError) -> EventLoopGroup {
        do throws(SystemError) {
            return try EventLoopGroup(count: 1)
        } catch {
            throw .system(error)
        }
    }

    private static func starting<T>(_ body: () throws(StartError) -> T) throws(Complaint) -> T {
        do throws(StartError) {
            return try body()
        } catch {
            throw Complaint("\(error)")
        }
    }

    /// Whether PostgreSQL is there, with the tables that this program knows.
    private static func checkSchema(_ configuration: Configuration) throws(Complaint) {
        let migrator = Migrator(Schema.migrations, configuration: configuration.database, logger: .disabled)
        let pending: Int
        do throws(MigrationError) {
            pending = try migrator.pending().count
        } catch {
            throw Complaint("\(error)")
        }
        guard pending == 0 else {
            throw Complaint("the database lacks \(pending) migration(s) of this version: run `kidoban migrate` first")
        }
    }

    /// Runs `body` on the loop.
    func run<T: Sendable>(_ body: @Sendable (Worker) async -> T) async -> T {
        await body(worker)
    }

    /// Waits until Redis has been reached, or has not: for who asks it first of all.
    func meetRedis() async {
        while await !worker.redis.isReady, await worker.redis.lastFailure == nil { await loop.sleep(for: .milliseconds(5)) }
    }

    func pause(for duration: Duration) async {
        await loop.sleep(for: duration)
    }

    /// Runs `body` on the loop, and puts what it is refused for into words.
    ///
    /// - Parameter user: of whom it is about.
    func ask<T: Sendable>(
        about user: UserReference? = nil, _ body: @Sendable (Worker) async throws(IdentityError) -> T
    ) async throws(Complaint) -> T {
        do throws(IdentityError) {
            return try await watching { () throws(IdentityError) in try await body(worker) }
        } catch {
            throw complaint(error, user)
        }
    }

    /// Has what fails said which store it was.
    private func watching<T: Sendable, E: Error>(_ body: () async throws(E) -> T) async throws(E) -> T {
        waits.reset()
        let outcome: Result<T, E> = await WaitTimes.$current.withValue(waits) {
            do throws(E) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Refuses what a wrong master key would do without effect: what it names in Redis nobody looks for, and what it seals nobody opens.
    func checkMasterKey() async throws(Complaint) {
        do throws(SigningKeyStore.Failure) {
            _ = try await worker.signingKeys.load(ensuring: [])
        } catch {
            throw Complaint("\(StartError.signingKeys(error))")
        }
    }

    /// Has the administration do something on the loop, in the name of whoever is at the command line.
    ///
    /// - Parameter user: of whom it is about.
    func administer<T: Sendable>(
        about user: UserReference? = nil, _ body: @Sendable (Administration) async throws(AdministrationError) -> T
    ) async throws(Complaint) -> T {
        let services = worker.services
        let administration = Administration(
            accounts: services.accounts, confirmations: services.confirmations, signingKeys: worker.signingKeys,
            clientTokens: services.clientTokens, as: administrator, caller: Self.caller)
        do throws(AdministrationError) {
            return try await watching { () throws(AdministrationError) in try await body(administration) }
        } catch {
            switch error {
            case .refused(let refusal): throw complaint(refusal, user)
            case .notPermitted(let permission): throw Complaint("this takes the permission \(permission.rawValue)")
            case .keys(let failure): throw Complaint("\(StartError.signingKeys(failure))")
            }
        }
    }

    /// What a rule says, for an operator.
    private static func words(_ error: IdentityError) -> String {
        switch error {
        case .session(.notFound): "there is no such session, or it is over"
        case .credentials(.invalid): "somebody has changed the account meanwhile: repeat the command"
        case .credentials(.userDisabled): "the user is disabled"
        case .user(.emailTaken): "there is a user with this e-mail address already"
        case .user(.usernameTaken): "somebody has this username already"
        case .user(.phoneNumberTaken): "somebody has this phone number already"
        case .user(.invalidInput(let problems)): problems.map(\.sentence).joined(separator: "; ")
        case .federation(.unknownProvider): "there is no such provider, or it is not switched on"
        case .federation(.identityTaken): "the identity is another user's"
        case .federation(.identityNotFound): "the user has no such identity"
        case .client(.idTaken):
            "there is a client of this id already: choose another with --id, or change that one with `kidoban client update`"
        case .user, .credentials, .session, .code, .federation, .client, .service: "the server would refuse this (\(error))"
        }
    }

    private func complaint(_ error: IdentityError, _ user: UserReference?) -> Complaint {
        switch error {
        case .user(.notFound): return Complaint("there is no user \(user.map { "\($0)".printable } ?? "")")
        case .service(let failure): return complaint(failure)
        case .user, .credentials, .session, .code, .federation, .client: return Complaint(Self.words(error))
        }
    }

    private func complaint(_ failure: ServiceFailure) -> Complaint {
        if case .tooManyRequests(let delay) = failure {
            return Complaint(
                "the limit for this is used up for \(DurationText.render(delay)): wait, or empty it with kidoban limits lift")
        }
        guard let cause = waits.fault else { return Complaint("this machine is too busy for it: repeat the command") }
        let place: String
        switch waits.failed {
        case .postgres?: place = "DATABASE_URL is \(stores.postgres)"
        case .redis?: place = "REDIS_URL is \(stores.redis)"
        case .hashing?, .outbound?, nil: return Complaint(cause)
        }
        return Complaint(
            "\(cause). \(place): is it right, and is the server well (kidoban doctor)? If something was to be changed, it may be done in part: "
                + "repeat the command")
    }
}

extension InputProblem {
    /// For an operator.
    fileprivate var sentence: String {
        let name =
            switch field {
            case .email: "the e-mail address"
            case .password: "the password"
            case .displayName: "the name"
            case .photoURL: "the picture"
            case .username: "the username"
            case .firstName: "the first name"
            case .lastName: "the last name"
            }
        switch reason {
        case .missing: return "\(name) is missing"
        case .malformed: return "\(name) is not valid"
        case .forbiddenCharacter: return "\(name) has a character that it may not have"
        case .tooShort(let minimum): return "\(name) has less than \(minimum) characters"
        case .tooLong(let maximum): return "\(name) is longer than \(maximum)"
        case .commonPassword: return "\(name) is one that everybody tries first"
        case .passwordEqualsEmail: return "\(name) is the e-mail address"
        case .entirelyNumeric: return "\(name) has nothing but digits"
        case .resembles: return "\(name) is too close to what is known of the user"
        }
    }
}

/// A number of things, in words: `1 session`, `2 sessions`, `no sessions`.
struct Counted: CustomStringConvertible {
    let description: String

    init(_ count: Int, _ singular: String) {
        description = count == 0 ? "no \(singular)s" : count == 1 ? "1 \(singular)" : "\(count) \(singular)s"
    }
}
