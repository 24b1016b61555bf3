import Endpoints
import HTTP
import Identity
import Logging
import Networking
import Postgres
import Redis
import Routing

/// What has to be there before requests can be answered: the schema, the signing keys, the clients.
extension Application {
    /// Migrates the database, loads the signing keys and the clients; waits for PostgreSQL as long as it takes.
    /// - Throws: `StartError` when waiting does not help: a newer schema, a wrong master key.
    package func prepare() async throws(StartError) {
        try await retrying("the schema cannot be checked") { () throws(StartError) in try await migrate() }
        // Not before: a new database has no place to keep them in.
        await keySets.start(
            workers.map(\.keySets), store: KeySetStore(pool: workers[0].postgres, policy: shared.configuration.keySets))
        try await retrying("the signing keys cannot be loaded") { () throws(StartError) in try await loadKeys() }
        for worker in workers {
            do throws(PostgresError) {
                try await worker.services.clients.warmUp()
            } catch {
                logger.warning("clients not loaded yet", ["error": "\(error)"])
            }
        }
        // Requests are served from here on, whatever Redis takes to answer.
        await workers[0].postgres.grow()
        await redisWatch.look()
        loop.start { await self.lookAfterMasterKeys() }
        for worker in workers { worker.startQueues() }
        logger.info("ready")
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
        if let first = workers.first, await migrator.isUpToDate(through: first.postgres) { return }
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

    /// Takes the keys that there are, and then does what is due to them.
    func loadKeys() async throws(StartError) {
        guard let first = workers.first else { return }
        do throws(SigningKeyStore.Failure) {
            try await takeKeys(first)
            let clients = try await clients(first)
            if try await advanceKeys(first, clients) { try await takeKeys(first) }
        } catch {
            throw .signingKeys(error)
        }
    }

    private func takeKeys(_ first: Worker) async throws(SigningKeyStore.Failure) {
        let ring = try await first.signingKeys.load(ensuring: Set(KeyRing.algorithms))
        // The first loop, which answers for readiness, comes last.
        for worker in workers.reversed() { await worker.server.run { worker.keys.value = ring } }
    }

    /// Once a minute: says with which master keys this copy runs, and re-seals what the other one has sealed.
    private func lookAfterMasterKeys() async {
        guard let first = workers.first else { return }
        let upkeep = MasterKeyUpkeep(
            uses: MasterKeyUses(pool: first.postgres),
            resealing: Resealing(pool: first.postgres, masterKey: shared.masterKey), masterKey: shared.masterKey,
            system: shared.system,
            loop: loop, logger: logger)
        while !shared.phase.drains {
            await upkeep.look { [shared] in !shared.phase.drains }
            await loop.sleep(for: MasterKeyUse.period)
        }
    }

    /// Activates the key whose turn it is, and removes those that are not needed any more; one copy does so for all.
    /// - Returns: whether there was anything to do.
    private func advanceKeys(_ worker: Worker, _ clients: [Client]) async throws(SigningKeyStore.Failure) -> Bool {
        // Opaque tokens are not signed, however long they live.
        let longest = clients.filter { $0.accessTokenFormat.algorithm != nil }.map(\.accessTokenLifetime).max() ?? .zero
        let steps = try await worker.signingKeys.advance(
            KeyRotation(longestTokenLife: longest, keyLife: shared.configuration.tokens.signingKeyLifetime))
        for step in steps {
            logger.info("signing keys changed", ["step": .string(step.auditKind.name), "kid": .string(step.key.kid)])
            await worker.audit.record(AuditEvent(step.auditKind, of: step.key, by: .system, system: shared.system))
        }
        return !steps.isEmpty
    }

    /// Those that tokens are signed for: as configured, and as registered.
    private func clients(_ worker: Worker) async throws(SigningKeyStore.Failure) -> [Client] {
        do throws(PostgresError) {
            return try await ClientStore(pool: worker.postgres).all() + shared.builtInClients
        } catch {
            throw .store(error)
        }
    }
}

extension StartError {
    /// Whether it makes sense to wait and try again.
    fileprivate var mayPass: Bool {
        switch self {
        case .configuration, .system: false
        case .migration(.unavailable), .migration(.locked): true
        case .migration(.schemaNewer), .migration(.wrongEncoding), .migration(.changed), .migration(.failed): false
        case .signingKeys(.store(.unavailable)), .signingKeys(.store(.overloaded)), .signingKeys(.store(.deadlineExceeded)): true
        case .signingKeys: false
        }
    }
}

extension Application {
    /// What follows the ends that all copies write, and passes them on to all loops. Nil where nobody is told of them.
    static func revocations(_ workers: [Worker], _ shared: SharedParts) -> RedisStreamReader? {
        let feeds = workers.compactMap { worker in worker.services.revocations.map { (worker.loop, $0) } }
        guard let first = workers.first, !feeds.isEmpty else { return nil }
        return RedisStreamReader(
            shared.configuration.redis, key: RevocationLog.key, life: RevocationLog.life, loop: first.loop,
            resolving: shared.resolving, logger: shared.logger
        ) { news in
            for (loop, feed) in feeds {
                if loop === first.loop {
                    feed.take(news)
                } else {
                    loop.call { feed.take(news) }
                }
            }
        }
    }

    /// What follows the changes of clients that all copies and commands write, and passes them on to all loops.
    static func clientChanges(_ workers: [Worker], _ shared: SharedParts) -> RedisStreamReader {
        let memories = workers.map { ($0.loop, $0.services.clients, $0.services.revocations) }
        return RedisStreamReader(
            shared.configuration.redis, key: ClientChanges.key, life: ClientChanges.life, loop: workers[0].loop,
            resolving: shared.resolving, logger: shared.logger
        ) { news in
            if case .alive = news { return }
            for (loop, clients, feed) in memories {
                Task(executorPreference: loop) {
                    await ClientChanges.pass(news, to: clients)
                    await feed?.checkClients()
                }
            }
        }
    }

    /// What hears of tokens that change, and passes it on to all loops. Nil where nothing is remembered.
    static func tracking(_ workers: [Worker], _ shared: SharedParts) -> RedisKeyTracking? {
        let memories = workers.compactMap { worker in worker.hot.map { (worker.loop, $0) } }
        guard let first = workers.first, !memories.isEmpty else { return nil }
        return RedisKeyTracking(
            shared.configuration.redis, prefixes: [HotTokenLoops.tokenPrefix, shared.hotTokens.probePrefix],
            patience: .seconds(2), loop: first.loop, resolving: shared.resolving, logger: shared.logger
        ) { news in
            for (loop, hot) in memories {
                if loop === first.loop {
                    hot.take(news)
                } else {
                    loop.call { hot.take(news) }
                }
            }
        }
    }
}
