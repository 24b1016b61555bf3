import HTTP
package import Identity
package import Logging
package import Networking
import Outbound
import Postgres
import Redis
package import Routing

/// The server, put together by hand: loops, stores, parts, APIs and listeners. It lives on the first loop.
package actor Application {
    /// Where a started server can be reached; ports may have been chosen by the kernel.
    package struct Addresses: Sendable {
        package let http: SocketAddress
        package let operations: SocketAddress
    }

    nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let shared: SharedParts
    private let group: EventLoopGroup
    let workers: [Worker]
    let keySets: KeySetKeeper
    /// Nil where nobody is told what ends.
    private let revocations: RedisStreamReader?
    private let clientChanges: RedisStreamReader
    /// Nil where nothing is remembered.
    private let tracking: RedisKeyTracking?
    let redisWatch: RedisWatch
    private let operations: HTTPServer
    let logger: Logger
    private var lifecycle: Configuration.Lifecycle
    /// Nil where mail is not sent.
    private var smtp: SMTPClient?

    /// Makes all parts; nothing listens yet.
    /// - Parameter early: what has been begun already, with the same settings; nil to begin here.
    /// - Throws: `StartError`.
    package init(
        _ configuration: Configuration, early: EarlyStart? = nil, logger: Logger, system: SystemContext, logSink: LogSink? = nil
    ) throws(StartError) {
        do throws(SystemError) {
            group = try EventLoopGroup(count: configuration.loopCount)
        } catch {
            throw .system(error)
        }
        loop = group.loops[0]
        let early = early ?? EarlyStart(configuration.database)
        do throws(StartError) {
            shared = try SharedParts(configuration, connecting: early.connecting, logger: logger, system: system)
        } catch {
            group.stop()
            early.connecting.stop()
            throw error
        }
        self.logger = logger
        lifecycle = configuration.lifecycle
        let smtp = configuration.smtp.map { SMTPClient($0) }
        self.smtp = smtp
        keySets = shared.keySetKeeper(loop)
        var workers: [Worker] = []
        for loop in group.loops {
            workers.append(try Worker(loop, shared, keySets, first: workers.isEmpty ? early.first : nil, smtp: smtp))
        }
        self.workers = workers
        revocations = Self.revocations(workers, shared)
        clientChanges = Self.clientChanges(workers, shared)
        tracking = Self.tracking(workers, shared)
        redisWatch = RedisWatch(workers[0].redis, shared.clockTolerance, loop: loop, logger: logger)
        operations = try Self.operations(workers, shared, keySets, redisWatch, logSink)
    }

    /// What is offered, for client developers.
    package nonisolated var document: OpenAPIDocument {
        let worker = workers[0]
        return Worker.document(of: worker.apis, worker.services, shared.configuration)
    }

    /// Listens and serves. What needs PostgreSQL or the signing keys answers 503 until `prepare()` is through.
    /// - Throws: `StartError` when an address cannot be had.
    package func start() async throws(StartError) -> Addresses {
        for worker in workers { worker.start() }
        if let revocations { loop.start { await revocations.run() } }
        let clientChanges = clientChanges
        loop.start { await clientChanges.run() }
        if let tracking { loop.start { await tracking.run() } }
        do throws(SystemError) {
            var address = shared.configuration.http.listen
            for worker in workers {
                address = try await worker.server.start(on: address, sharing: worker.loop.index == 0 ? .first : .withSiblings)
            }
            let operationsAddress = try await operations.start(on: shared.configuration.operations.listen)
            loop.start { await self.keepMemory() }
            return Addresses(http: address, operations: operationsAddress)
        } catch {
            throw .system(error)
        }
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

    /// Gives memory that is not used any more back to the system, a second or two later.
    private func keepMemory() async {
        var keeper = MemoryKeeper()
        while !shared.phase.drains {
            await loop.sleep(for: .seconds(1))
            var (tasks, wakes) = (0, 0)
            for worker in workers {
                let (moreTasks, moreWakes) = await worker.server.run { (worker.server.taskCount, worker.server.wakeCount) }
                tasks += moreTasks
                wakes &+= moreWakes
            }
            let ledger = shared.http.ledger
            let (recent, now) = (ledger.takePeak(), ledger.estimate)
            let inTasks = tasks * MemoryKeeper.taskBytes
            let givesBack = keeper.shouldGiveBack(recent: recent + inTasks, now: now + inTasks)
            let releases = keeper.shouldReleaseProgram(wakes: wakes, tasks: tasks)
            guard givesBack || releases else { continue }
            // A queue that is full is a reason to look again later, and one day there is room.
            try? await shared.housekeeping.run {
                ProcessMemory.giveBack()
                if releases { ProcessMemory.releaseProgram() }
            }
        }
    }

    /// Takes over what may change while it runs: of a new configuration the settings that reload. The level of the log is its owner's.
    package func apply(_ configuration: Configuration) async {
        lifecycle = configuration.lifecycle
        await keySets.adopt(configuration.keySetURLs)
        // What the one before has under way it sends yet; it ends with the last who uses it.
        if configuration.smtp != smtp?.configuration { smtp = configuration.smtp.map { SMTPClient($0) } }
        for worker in workers {
            await worker.apply(configuration)
            await worker.mail.use(smtp, configuration.mail.composer)
        }
    }

    /// What became of the last SIGHUP.
    nonisolated var reloads: ReloadState { shared.reloads }

    /// Whether it is on its way out.
    nonisolated var isDraining: Bool { shared.phase.drains }

    /// Ends gracefully: readiness goes, balancers turn away, listeners close, requests finish, everything is written.
    package func stop() async {
        let lifecycle = lifecycle
        shared.phase.beginDraining()
        logger.info("draining")
        for worker in workers { await worker.jobs.beginClosing() }
        await loop.sleep(for: lifecycle.drainDelay)
        for worker in workers { await worker.server.drain() }
        let deadline = Instant.now() + lifecycle.drainTimeout
        while await connectionCount() > 0, Instant.now() < deadline { await loop.sleep(for: .milliseconds(10)) }
        await keySets.close()
        await revocations?.close()
        await clientChanges.close()
        await tracking?.close()
        for worker in workers { await worker.jobs.close(by: deadline) }
        // At once: each may have to wait for a PostgreSQL that hangs.
        await withDiscardingTaskGroup { group in
            for worker in workers { group.addTask(executorPreference: worker.loop) { await worker.stop() } }
        }
        await operations.drain()
        group.stop()
        shared.stop()
        smtp?.stop()
        logger.info("stopped")
    }

    /// How many connections stand.
    package func connectionCount() async -> Int {
        var count = 0
        for worker in workers { count += await worker.server.connectionCount }
        return count
    }

}
