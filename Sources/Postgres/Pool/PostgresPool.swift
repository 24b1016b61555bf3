package import Logging
package import Networking

/// A loop's connections to PostgreSQL: a few, pipelined, opened as they are needed, with one kept open.
///
/// It reconnects by itself. While a server that has worked is gone, queries wait for the first new attempt; once that has
/// failed, they fail at once until a later attempt succeeds. Everything that waits has a bound and a deadline. What is done when is decided
/// by a `PostgresPoolState`; this does it.
package actor PostgresPool {
    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    private let configuration: PostgresConfiguration
    private let connecting: BlockingPool
    private let logger: Logger
    private(set) var state: PostgresPoolState
    /// By their ids in `state`.
    private var connections: [Int: PostgresConnection] = [:]
    private var drainers: [CheckedContinuation<Void, Never>] = []
    private var alarm: LoopTimer?
    private var restTimer: LoopTimer?
    /// Until it is asked for.
    private var first: FirstConnection?

    /// Begins to connect. `close()` ends it.
    ///
    /// - Parameters:
    ///   - connecting: threads on which connections are made, which takes as long as name look-up, TLS and log-in.
    ///   - first: a connection that is on its way already, the only one until `grow()`; nil for none.
    package init(
        _ configuration: PostgresConfiguration, loop: EventLoop, connecting: BlockingPool, first: FirstConnection? = nil,
        logger: Logger
    ) {
        self.first = first
        self.configuration = configuration
        self.loop = loop
        self.connecting = connecting
        self.logger = logger
        state = PostgresPoolState(configuration, limit: first == nil ? nil : 1)
        loop.start { await self.perform() }
    }

    /// Opens as many connections as are needed from now on: whoever starts needs one, and each costs the server a process and both a log-in.
    package func grow() {
        state.connectionLimit = connectionLimit
        perform()
    }

    /// Runs a statement on its own, as a transaction of one.
    ///
    /// Cancelling the task does not take it back; the configuration's deadline bounds the wait.
    /// - Throws: `PostgresError`.
    package func query(_ statement: Statement, _ parameters: [PostgresValue] = []) async throws(PostgresError) -> Rows {
        let buffer = try ParameterBuffer(parameters)
        let start = loop.now
        defer { WaitTimes.add(.postgres, from: start, to: loop.now) }
        let deadline = start + configuration.deadline
        let answer: Exchange.Answer = await withCheckedContinuation { continuation in
            let exchange = Exchange(statement, buffer, deadline: deadline) { continuation.resume(returning: $0) }
            state.submit(.query(Query(exchange)))
            perform()
        }
        return try answer.get()
    }

    /// Whether the server answers: one round trip.
    /// - Throws: `PostgresError`.
    package func ping() async throws(PostgresError) {
        _ = try await query(Statements.ping)
    }

    /// Refuses new work, finishes what has been begun, and closes all connections.
    package func close() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            if state.isClosed { return continuation.resume() }
            drainers.append(continuation)
            state.drain()
            perform()
        }
    }

    /// How many connections there are at most.
    package nonisolated var connectionLimit: Int { max(1, configuration.connectionsPerLoop) }

    /// For how long a refusal counts: what is written all the time, audit events for example, is refused again meanwhile.
    private static let diskFullMemory: Duration = .seconds(30)

    /// Whether the server's disk was full when something was written lately.
    package var refusesWrites: Bool {
        guard let diskWasFullAt = state.diskWasFullAt else { return false }
        return loop.now.since(diskWasFullAt) < Self.diskFullMemory
    }

    /// Why the last attempt to connect has failed; nil when none has since the last that has not.
    var lastConnectFailure: ConnectFailure? { state.lastConnectFailure }
}

/// Doing what the state says.
extension PostgresPool {
    /// Does what can be done.
    private func perform() {
        while let action = state.nextAction(at: loop.now) {
            switch action {
            case .send(let query, let id): send(query, on: id)
            case .finish(let exchange, let answer): exchange.finish(answer)
            case .answer(let request, let answer): request.finish(answer)
            case .connect: loop.start { await self.connect() }
            case .rest(let failures): rest(after: failures)
            case .close(let id, let closing): close(id, closing)
            case .finishDraining: finishDraining()
            case .setAlarm(let deadline): setAlarm(at: deadline)
            case .log(let note): log(note)
            }
        }
    }

    private func send(_ query: Query, on id: Int) {
        guard let connection = connections[id] else { return query.exchange.finish(.failure(.unavailable)) }
        state.update(id) { connection.send(query, &$0, now: loop.now) }
    }

    /// A socket of one of the connections has something to say.
    func ready(_ id: Int, _ readiness: Readiness) {
        guard let connection = connections[id] else { return }
        update(id) { connection.ready(readiness, &$0, now: loop.now) }
    }

    /// Something has happened to a connection.
    func update(_ id: Int, _ change: (inout PostgresConnectionState) -> Void) {
        state.update(id, change)
        perform()
    }

    private func connect() async {
        let first = first.take()
        let outcome =
            if let first { await first.outcome } else { await FirstConnection.attempt(configuration, on: connecting) }
        guard state.attemptEnds() else { return }
        do throws(ConnectFailure) {
            try adopt(try outcome.get())
        } catch {
            state.connectFailed(error)
        }
        perform()
    }

    /// Takes a connection into the loop, and begins it with the settings of the session.
    private func adopt(_ handle: ConnectionHandle) throws(ConnectFailure) {
        guard handle.startPipelining() else { throw ConnectFailure(message: handle.errorMessage) }
        let id = state.makeID()
        let registration: Registration
        do throws(SystemError) {
            registration = try loop.register(handle.socket, handler: ConnectionWatcher(pool: self, connection: id))
        } catch {
            throw ConnectFailure(message: "\(error)")
        }
        connections[id] = PostgresConnection(handle, registration: registration)
        let numbers = [configuration.statementTimeout, configuration.deadline.serverMilliseconds]
        let settings = Exchange(
            Statements.setUp, ParameterBuffer(numbers: numbers), deadline: loop.now + configuration.deadline)
        state.connected(id, settings: settings, at: loop.now)
    }

    private func rest(after failures: Int) {
        let pause = BackOff.pause(configuration.backOff, after: failures, chance: .random(in: 0...1))
        restTimer = loop.schedule(after: pause) { [weak self] in
            self?.assumeIsolated { pool in
                pool.state.rested()
                pool.perform()
            }
        }
    }

    private func close(_ id: Int, _ closing: PostgresPoolState.Closing) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        if case .lost(let failure) = closing {
            let farewell = failure ?? connection.farewell
            logger.warning(
                "a PostgreSQL connection has ended",
                [
                    "server": .string(configuration.connectionString.target), "sqlstate": .string(farewell?.sqlState ?? ""),
                    "error": .string(farewell?.message ?? ""),
                ])
        }
        connection.close(on: loop)
    }

    private func finishDraining() {
        for connection in connections.values { connection.close(on: loop) }
        connections = [:]
        if let restTimer { loop.cancel(restTimer) }
        if let alarm { loop.cancel(alarm) }
        let resumed = drainers
        drainers = []
        for continuation in resumed { continuation.resume() }
    }

    private func setAlarm(at deadline: Instant) {
        if let alarm { loop.cancel(alarm) }
        alarm = loop.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated { pool in
                pool.state.expire(at: pool.loop.now)
                pool.perform()
                pool.state.setNextAlarm()
                pool.perform()
            }
        }
    }

    private func log(_ note: PostgresPoolState.Note) {
        let server = LogValue.string(configuration.connectionString.target)
        switch note {
        case .connected: logger.info("PostgreSQL connected", ["server": server])
        case .unreachable(let failure):
            logger.error("PostgreSQL cannot be reached", ["server": server, "error": .string(failure.message)])
        case .notInTime(let statement):
            logger.warning("PostgreSQL has not answered in time", ["statement": .string(statement.name)])
        case .refused(let statement, let failure):
            logger.log(
                failure.level, "PostgreSQL refused a statement",
                [
                    "statement": .string(statement.name), "sqlstate": .string(failure.sqlState),
                    "constraint": .string(failure.constraint ?? ""), "error": .string(failure.message ?? ""),
                ])
        }
    }
}

/// What transactions need.
extension PostgresPool {
    /// Waits for a connection of one's own, and returns the lease's id.
    func lease(_ isolation: IsolationLevel) async throws(PostgresError) -> Int {
        let lease = Lease(id: state.makeID(), isolation: isolation)
        let start = loop.now
        defer { WaitTimes.add(.postgres, from: start, to: loop.now) }
        let deadline = start + configuration.deadline
        let answer: LeaseRequest.Answer = await withCheckedContinuation { continuation in
            let request = LeaseRequest(lease, deadline: deadline) { continuation.resume(returning: $0) }
            state.submit(.lease(request))
            perform()
        }
        return try answer.get()
    }

    /// Runs a statement under a lease, the first one together with `BEGIN`.
    func query(
        _ statement: Statement, _ parameters: [PostgresValue], in id: Int
    ) async throws(PostgresError) -> Rows {
        let buffer = try ParameterBuffer(parameters)
        let start = loop.now
        defer { WaitTimes.add(.postgres, from: start, to: loop.now) }
        let deadline = start + configuration.deadline
        let answer: Exchange.Answer = await withCheckedContinuation { continuation in
            submit(Exchange(statement, buffer, deadline: deadline) { continuation.resume(returning: $0) }, in: id)
        }
        return try answer.get()
    }

    /// Sends a statement of a transaction, or fails it where the connection has died or the transaction is over. Nothing suspends between
    /// the look-up and the sending: an exchange on a connection that has gone would be answered by nobody.
    func submit(_ exchange: Exchange, in id: Int) {
        state.submit(exchange, in: id)
        perform()
    }

    /// Whether a statement of a transaction failed because another transaction was in the way.
    func sawConflict(_ id: Int) -> Bool {
        state.lease(id)?.sawConflict ?? false
    }

    /// Gives the connection of a transaction back, whatever has become of it.
    func release(_ id: Int) {
        guard let connectionID = state.connection(of: id), let connection = connections[connectionID] else { return }
        update(connectionID) { $0.release(isOutsideTransaction: connection.isOutsideTransaction) }
    }
}

/// Takes what the kernel says of a connection's socket to the pool that owns the connection.
final class ConnectionWatcher: ReadinessHandler {
    private weak let pool: PostgresPool?
    private let connection: Int

    init(pool: PostgresPool, connection: Int) {
        self.pool = pool
        self.connection = connection
    }

    func ready(_ readiness: Readiness) {
        pool?.assumeIsolated { $0.ready(connection, readiness) }
    }
}
