package import Logging
package import Networking

/// A loop's connections to PostgreSQL: a few, pipelined, opened as they are needed, with one kept open.
///
/// It reconnects by itself. While a server that has worked is gone, queries wait for the first new attempt; once that has
/// failed, they fail at once until a later attempt succeeds. Everything that waits has a bound and a deadline.
package actor PostgresPool {
    enum Phase {
        case open
        /// Takes no new work and finishes what it has.
        case draining([CheckedContinuation<Void, Never>])
        case closed
    }

    enum Opening {
        case idle
        case connecting
        /// An attempt has failed; the timer starts the next one.
        case resting(LoopTimer)
    }

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    let configuration: PostgresConfiguration
    let connecting: BlockingPool
    let logger: Logger
    var phase = Phase.open
    var opening = Opening.idle
    var backOff: BackOff
    var lastConnectFailure: ConnectFailure?
    var connections: [PostgresConnection] = []
    var waiting = FIFO<Waiter>()
    private var alarm: LoopTimer?
    private var alarmDeadline: Instant?
    private var lastID = 0

    /// Begins to connect. `close()` ends it.
    ///
    /// - Parameter connecting: threads on which connections are made, which takes as long as name look-up, TLS and log-in.
    package init(
        _ configuration: PostgresConfiguration, loop: EventLoop, connecting: BlockingPool, logger: Logger
    ) {
        self.configuration = configuration
        self.loop = loop
        self.connecting = connecting
        self.logger = logger
        backOff = BackOff(configuration.backOff)
        loop.start { await self.dispatch() }
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
        let answer: Exchange.Answer = unsafe await withUnsafeContinuation { continuation in
            unsafe submit(.query(Exchange(statement, buffer, deadline: deadline, continuation: continuation)))
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
            switch phase {
            case .open: phase = .draining([continuation])
            case .draining(let others): phase = .draining(others + [continuation])
            case .closed: continuation.resume()
            }
            dispatch()
        }
    }

    /// Takes work in, or turns it away at once.
    func submit(_ waiter: Waiter) {
        guard case .open = phase, !isDown else { return waiter.fail(.unavailable) }
        guard waiting.count < configuration.waitingLimit else { return waiter.fail(.overloaded) }
        waiting.append(waiter)
        setAlarm(for: waiter.deadline)
        dispatch()
    }

    /// How many connections there are at most.
    package nonisolated var connectionLimit: Int { max(1, configuration.connectionsPerLoop) }

    /// Whether the server is known not to be there.
    var isDown: Bool { connections.isEmpty && backOff.failures > 0 }

    func makeID() -> Int {
        lastID += 1
        return lastID
    }

    /// Makes sure that `expire` runs at `deadline` at the latest.
    func setAlarm(for deadline: Instant) {
        if let alarmDeadline, alarmDeadline <= deadline { return }
        cancelAlarm()
        alarmDeadline = deadline
        alarm = loop.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated { $0.expire() }
        }
    }

    func cancelAlarm() {
        if let alarm { loop.cancel(alarm) }
        alarm = nil
        alarmDeadline = nil
    }

    /// Fails what has waited too long.
    private func expire() {
        alarmDeadline = nil
        let now = loop.now
        for waiter in waiting.extract(where: { $0.deadline <= now }) {
            waiter.fail(connections.isEmpty ? .unavailable : .overloaded)
        }
        for connection in connections {
            if case .reserved(let request) = connection.use, request.deadline <= now {
                connection.use = .shared
                request.finish(.failure(.overloaded))
            }
            for exchange in connection.expire(at: now, patience: configuration.deadline) {
                logger.warning("PostgreSQL has not answered in time", ["statement": .string(exchange.statement.name)])
            }
        }
        dispatch()
        let deadlines =
            waiting.all.map(\.deadline)
            + connections.compactMap { $0.nextDeadline(patience: configuration.deadline) }
        if let next = deadlines.min() { setAlarm(for: next) }
    }
}
