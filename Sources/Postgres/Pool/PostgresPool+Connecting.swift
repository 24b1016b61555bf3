import Logging
import Networking

extension PostgresPool {
    /// Begins another connection when it is wanted: one at a time, and not while resting after a failure.
    func openIfNeeded() {
        guard case .idle = opening, connections.count < connectionLimit else { return }
        guard isOpen ? wantsConnection : !waiting.isEmpty else { return }
        opening = .connecting
        loop.start { await self.connect() }
    }

    /// One is kept open; another is wanted when all that are there are busy.
    private var wantsConnection: Bool {
        connections.allSatisfy(\.isBusy) || !waiting.isEmpty
    }

    private var isOpen: Bool {
        if case .open = phase { return true }
        return false
    }

    private func connect() async {
        let outcome: Result<ConnectionHandle, ConnectFailure>
        do throws(BlockingPool.Overloaded) {
            outcome = try await connecting.run { [configuration] in
                Result { () throws(ConnectFailure) in try ConnectionHandle.connect(configuration) }
            }
        } catch {
            outcome = .failure(ConnectFailure(message: "no thread is free to connect"))
        }
        opening = .idle
        if case .closed = phase { return }
        do throws(ConnectFailure) {
            try adopt(try outcome.get())
        } catch {
            connectFailed(error)
        }
        dispatch()
    }

    /// Takes a connection into the loop, and begins it with the settings of the session.
    private func adopt(_ handle: ConnectionHandle) throws(ConnectFailure) {
        guard handle.startPipelining() else { throw ConnectFailure(message: handle.errorMessage) }
        let id = makeID()
        let registration: Registration
        do throws(SystemError) {
            registration = try loop.register(handle.socket, handler: ConnectionWatcher(pool: self, connection: id))
        } catch {
            throw ConnectFailure(message: "\(error)")
        }
        let connection = PostgresConnection(handle, id: id, registration: registration, now: loop.now)
        connections.append(connection)
        send(Exchange(Statements.setUp, settings, deadline: loop.now + configuration.deadline), on: connection)
    }

    private var settings: ParameterBuffer {
        ParameterBuffer(numbers: [configuration.statementTimeout, configuration.deadline.serverMilliseconds])
    }

    /// The settings are in force: this server works.
    func connected(_ connection: PostgresConnection) {
        connection.isSetUp = true
        if lastConnectFailure != nil || backOff.failures > 0 || connections.count == 1 {
            logger.info("PostgreSQL connected", ["server": .string(configuration.connectionString.target)])
        }
        lastConnectFailure = nil
        backOff.succeeded()
    }

    /// Rests before the next attempt. Without any connection, whoever waits learns that there is no server.
    private func connectFailed(_ failure: ConnectFailure) {
        // Once for each cause, not for each attempt.
        if failure != lastConnectFailure {
            logger.error(
                "PostgreSQL cannot be reached",
                ["server": .string(configuration.connectionString.target), "error": .string(failure.message)])
        }
        lastConnectFailure = failure
        rest()
    }

    private func rest() {
        let pause = backOff.failed(chance: .random(in: 0...1))
        let timer = loop.schedule(after: pause) { [weak self] in
            self?.assumeIsolated { pool in
                pool.opening = .idle
                pool.dispatch()
            }
        }
        opening = .resting(timer)
        guard connections.isEmpty else { return }
        while let waiter = waiting.popFirst() { waiter.fail(.unavailable) }
    }

    /// Gives up a connection that is lost or retired. What it has not answered fails, but for reads, which may be sent again.
    func drop(_ connection: PostgresConnection) {
        if connection.isLost { logEnd(of: connection) }
        connections.removeAll { $0 === connection }
        var again: [Waiter] = []
        for exchange in connection.close(on: loop) {
            if exchange.statement.isRetryable, exchange.attempts == 1, exchange.isAwaited, connection.lease == nil {
                again.append(.query(exchange))
            } else {
                exchange.finish(.failure(.unavailable))
            }
        }
        if case .reserved(let request) = connection.use { again.append(.lease(request)) }
        waiting.prepend(again)
        if !connection.isSetUp, case .idle = opening { rest() }
    }

    private func logEnd(of connection: PostgresConnection) {
        let farewell = connection.farewell
        logger.warning(
            "a PostgreSQL connection has ended",
            [
                "server": .string(configuration.connectionString.target), "sqlstate": .string(farewell?.sqlState ?? ""),
                "error": .string(farewell?.message ?? ""),
            ])
    }

    /// Closes everything once there is nothing left to do.
    func finishDraining() {
        guard case .draining(let continuations) = phase, waiting.isEmpty else { return }
        guard connections.allSatisfy(\.isIdle) else { return }
        phase = .closed
        for connection in connections { _ = connection.close(on: loop) }
        connections = []
        if case .resting(let timer) = opening { loop.cancel(timer) }
        cancelAlarm()
        for continuation in continuations { continuation.resume() }
    }
}
