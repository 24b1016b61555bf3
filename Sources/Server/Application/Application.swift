import Crypto
package import Endpoints
import HTTP
package import Identity
package import Logging
package import Networking
import Postgres
import Text

/// The server, put together by hand: loops, stores, rooms, doors and listeners. It lives on the first loop.
package actor Application {
    /// Where a started server can be reached; ports may have been chosen by the kernel.
    package struct Addresses: Sendable {
        package let http: SocketAddress
        package let operations: SocketAddress
    }

    private nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let shared: SharedParts
    private let group: EventLoopGroup
    private let workers: [Worker]
    private let keySets: KeySetKeeper
    private let redisWatch: RedisWatch
    private let operations: HTTPServer
    private let logger: Logger
    private var lifecycle: Configuration.Lifecycle

    /// Makes all parts; nothing listens yet.
    /// - Throws: `StartError`.
    package init(_ configuration: Configuration, logger: Logger, ambience: Ambience, logSink: LogSink? = nil) throws(StartError) {
        shared = try SharedParts(configuration, logger: logger, ambience: ambience)
        self.logger = logger
        lifecycle = configuration.lifecycle
        do throws(SystemError) {
            group = try EventLoopGroup(count: configuration.loopCount)
        } catch {
            throw .system(error)
        }
        loop = group.loops[0]
        keySets = shared.keySetKeeper(loop)
        var workers: [Worker] = []
        for loop in group.loops { workers.append(try Worker(loop, shared, keySets)) }
        self.workers = workers
        redisWatch = RedisWatch(workers[0].redis, loop: loop, logger: logger)
        operations = try Self.operations(workers, shared, keySets, redisWatch, logSink)
    }

    /// What is offered, for client developers.
    package nonisolated var document: OpenAPIDocument {
        let worker = workers[0]
        return Worker.document(of: worker.doors, worker.services, shared.configuration)
    }

    /// Listens and serves. What needs PostgreSQL or the signing keys answers 503 until `prepare()` is through.
    /// - Throws: `StartError` when an address cannot be had.
    package func start() async throws(StartError) -> Addresses {
        for worker in workers { worker.start() }
        await keySets.start(workers.map(\.keySets))
        do throws(SystemError) {
            var address = shared.configuration.http.listen
            for worker in workers { address = try await worker.server.start(on: address) }
            let operationsAddress = try await operations.start(on: shared.configuration.operations.listen)
            return Addresses(http: address, operations: operationsAddress)
        } catch {
            throw .system(error)
        }
    }

    /// Migrates the database, loads the signing keys and the clients; waits for PostgreSQL as long as it takes.
    /// - Throws: `StartError` when waiting does not help: a newer schema, a wrong master key.
    package func prepare() async throws(StartError) {
        try await retrying("the schema cannot be checked") { () throws(StartError) in try await migrate() }
        try await retrying("the signing keys cannot be loaded") { () throws(StartError) in try await loadKeys() }
        for worker in workers {
            do throws(PostgresError) {
                try await worker.services.clients.warmUp()
            } catch {
                logger.warning("clients not loaded yet", ["error": "\(error)"])
            }
        }
        await redisWatch.look()
        for worker in workers { worker.startQueues() }
        logger.info("ready")
    }

    /// `prepare()`, and then `keepKeysFresh()` until the end; returns only when preparing has failed for good or it is over.
    package func prepareOrFail() async -> StartError? {
        do throws(StartError) {
            try await prepare()
        } catch {
            return error
        }
        await keepKeysFresh()
        return nil
    }

    /// Loads the signing keys anew once a minute, so that a key made or activated elsewhere is known here. Looks after Redis's settings, too.
    package func keepKeysFresh() async {
        while !shared.phase.drains {
            await loop.sleep(for: .seconds(60))
            await redisWatch.look()
            do throws(StartError) {
                try await loadKeys()
            } catch {
                logger.warning("signing keys not loaded again", ["error": "\(error)"])
            }
        }
    }

    /// Takes over what may change while it runs: of a new configuration the settings that reload. The level of the log is its owner's.
    package func apply(_ configuration: Configuration) async {
        lifecycle = configuration.lifecycle
        await keySets.adopt(configuration.keySetURLs)
        for worker in workers { await worker.apply(configuration) }
    }

    /// Whether it is on its way out.
    nonisolated var isDraining: Bool { shared.phase.drains }

    /// Ends gracefully: readiness goes, balancers turn away, listeners close, requests finish, everything is written.
    package func stop() async {
        let lifecycle = lifecycle
        shared.phase.beginDraining()
        logger.info("draining")
        for worker in workers { await worker.mail.beginClosing() }
        await loop.sleep(for: lifecycle.drainDelay)
        for worker in workers { await worker.server.drain() }
        let deadline = Instant.now() + lifecycle.drainTimeout
        while await connectionCount() > 0, Instant.now() < deadline { await loop.sleep(for: .milliseconds(10)) }
        await keySets.close()
        for worker in workers { await worker.mail.close(by: deadline) }
        // At once: each may have to wait for a PostgreSQL that hangs.
        await withDiscardingTaskGroup { group in
            for worker in workers { group.addTask(executorPreference: worker.loop) { await worker.stop() } }
        }
        await operations.drain()
        group.stop()
        shared.stop()
        logger.info("stopped")
    }

    private func connectionCount() async -> Int {
        var count = 0
        for worker in workers { count += await worker.server.connectionCount }
        return count
    }

    /// Tries again while a store is away.
    private func retrying(_ what: String, _ body: () async throws(StartError) -> Void) async throws(StartError) {
        var pause = Duration.milliseconds(125)
        while true {
            do throws(StartError) {
                return try await body()
            } catch {
                guard error.mayPass, !shared.phase.drains else { throw error }
                logger.error(what, ["error": "\(error)"])
                await loop.sleep(for: pause)
                pause = min(pause * 2, .seconds(2))
            }
        }
    }

    private func migrate() async throws(StartError) {
        let migrator = Migrator(Schema.migrations, configuration: shared.configuration.database, logger: logger)
        let applies = shared.configuration.lifecycle.migratesAtStart
        let result: Result<Int, MigrationError>
        do throws(BlockingPool.Overloaded) {
            result = try await shared.connecting.run {
                Result { () throws(MigrationError) in try applies ? migrator.apply().count * 0 : migrator.pending().count }
            }
        } catch {
            throw .migration(.unavailable(reason: "busy"))
        }
        switch result {
        case .success(0): return
        case .success(let count):
            throw .configuration("the database lacks \(count) migration(s): run `kidoban migrate`, or set KIDOBAN_MIGRATE=true")
        case .failure(let error): throw .migration(error)
        }
    }

    private func loadKeys() async throws(StartError) {
        guard let first = workers.first else { return }
        let ring: KeyRing
        do throws(SigningKeyStore.Failure) {
            let clients = try await clients(first)
            try await advanceKeys(first, clients)
            ring = try await first.signingKeys.load(ensuring: Set(clients.compactMap(\.accessTokenFormat.algorithm)))
        } catch {
            throw .signingKeys(error)
        }
        // The first loop, which answers for readiness, comes last.
        for worker in workers.reversed() { await worker.server.run { worker.keys.value = ring } }
    }

    /// Activates the key whose turn it is, and removes those that are not needed any more; one copy does so for all.
    private func advanceKeys(_ worker: Worker, _ clients: [Client]) async throws(SigningKeyStore.Failure) {
        let signed = clients.filter { $0.accessTokenFormat.algorithm != nil }
        let longest = signed.map(\.accessTokenLifetime).max() ?? .zero
        for step in try await worker.signingKeys.advance(KeyRotation(longestTokenLife: longest)) {
            logger.info("signing keys changed", ["step": .string(step.auditKind.name), "kid": .string(step.key.kid)])
            await worker.audit.record(AuditEvent(step.auditKind, of: step.key, by: .system, ambience: shared.ambience))
        }
    }

    /// Those that tokens are signed for: as configured, and as registered.
    private func clients(_ worker: Worker) async throws(SigningKeyStore.Failure) -> [Client] {
        do throws(PostgresError) {
            return try await ClientStore(pool: worker.postgres).all() + [shared.app, shared.restAuth]
        } catch {
            throw .store(error)
        }
    }

    private static func operations(
        _ workers: [Worker], _ shared: SharedParts, _ keySets: KeySetKeeper, _ redisWatch: RedisWatch,
        _ logSink: LogSink?
    ) throws(StartError) -> HTTPServer {
        guard let first = workers.first else { throw .configuration("there is no loop") }
        let started = shared.ambience.now()
        let door = OperationsDoor.make(first.services, others: workers.dropFirst().map(\.services), phase: shared.phase) {
            var report = ProcessStatistics.report(startedAt: started)
            report.hashesWaiting = shared.hashing.waitingCount
            report.logLinesDropped = logSink?.droppedLines ?? 0
            for worker in workers {
                report.connections += await worker.server.connectionCount
                let (requests, refusals, identity) = await worker.server.run {
                    (worker.server.metrics.snapshot(), worker.server.metrics.forwardedRefusals, worker.metrics.snapshot)
                }
                report.add(requests)
                report.forwardedRefusals.merge(refusals, uniquingKeysWith: +)
                report.identity.add(identity)
            }
            report.keySets = await keySets.reports
            report.redisProblems = await redisWatch.problems
            return report
        }
        var configuration = shared.http
        configuration.budget = ConnectionBudget(wanted: Configuration.Operations.maximumConnections)
        // It answers to the very end, so that what asks for readiness sees it go.
        configuration.phase = ServerPhase()
        // It is asked by who operates the server, directly.
        configuration.proxies = TrustedProxies()
        // Its requests ask all loops at once, where no times can be kept.
        configuration.slowRequest = .zero
        return HTTPServer(
            configuration, router: try Worker.router([door]), loop: first.loop, logger: shared.logger,
            random: shared.randomNumber())
    }
}

extension StartError {
    /// Whether it makes sense to wait and try again.
    fileprivate var mayPass: Bool {
        switch self {
        case .configuration, .system: false
        case .migration(.unavailable), .migration(.locked): true
        case .migration(.schemaNewer), .migration(.changed), .migration(.failed): false
        case .signingKeys(.store(.unavailable)), .signingKeys(.store(.overloaded)), .signingKeys(.store(.deadlineExceeded)): true
        case .signingKeys: false
        }
    }
}
