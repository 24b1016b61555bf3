import Logging
import Networking

extension PostgresPool {
    /// Brings what waits and the connections together, until nothing more can be done for now.
    func dispatch() {
        repeat {
            assignWaiting()
        } while absorbNews()
        openIfNeeded()
        finishDraining()
    }

    /// A socket of one of the connections has something to say.
    func ready(_ id: Int, _ readiness: Readiness) {
        guard let connection = connections.first(where: { $0.id == id }) else { return }
        connection.ready(readiness, now: loop.now)
        dispatch()
    }

    /// Sends an exchange on a connection that the caller has chosen.
    func send(_ exchange: Exchange, on connection: PostgresConnection) {
        connection.send(exchange, now: loop.now)
        setAlarm(for: exchange.deadline)
    }

    /// Sends the queries that wait and finds connections for transactions, in order. A query may pass a transaction that
    /// waits for its connection to be quiet, but not one for which there is no connection at all.
    private func assignWaiting() {
        while let waiter = waiting.first {
            guard let connection = leastBusy() else { break }
            switch waiter {
            case .query(let exchange):
                guard connection.depth < configuration.inFlightLimit else { return grantReservations() }
                send(exchange, on: connection)
            case .lease(let request):
                connection.use = .reserved(request)
            }
            _ = waiting.popFirst()
        }
        grantReservations()
    }

    private func leastBusy() -> PostgresConnection? {
        var best: PostgresConnection?
        for connection in connections where connection.isShared && connection.depth < best?.depth ?? .max { best = connection }
        return best
    }

    private func grantReservations() {
        for connection in connections where connection.isIdle && !connection.isRetiring && !connection.isLost {
            guard case .reserved(let request) = connection.use else { continue }
            connection.use = .leased(request.lease)
            request.finish(.success(request.lease.id))
        }
    }

    /// Handles the answers that have come and the connections that have gone; false when there were none.
    private func absorbNews() -> Bool {
        guard connections.contains(where: \.hasNews) else { return false }
        for connection in connections where connection.hasNews {
            var again: [Waiter] = []
            for exchange in connection.takeAnswered() where conclude(exchange, on: connection) == .sendAgain {
                again.append(.query(exchange))
            }
            waiting.prepend(again)
            if connection.isLost || (connection.isRetiring && connection.isIdle) { drop(connection) }
        }
        return true
    }

    private enum Conclusion {
        case done
        case sendAgain
    }

    /// Hands an answer over, unless the query is to be sent once more.
    private func conclude(_ exchange: Exchange, on connection: PostgresConnection) -> Conclusion {
        switch exchange.outcome {
        case .success(let rows):
            if exchange.statement.name == Statements.setUp.name { connected(connection) }
            exchange.finish(.success(rows))
            return .done
        case .failure(let failure):
            return conclude(exchange, failure, on: connection)
        case nil:
            // A group without an answer: this is not the protocol we speak.
            connection.lose()
            exchange.finish(.failure(.unavailable))
            return .done
        }
    }

    private func conclude(
        _ exchange: Exchange, _ failure: ServerFailure, on connection: PostgresConnection
    ) -> Conclusion {
        log(failure, of: exchange)
        if failure.sqlState == ServerFailure.diskFull { diskWasFullAt = loop.now }
        if exchange.statement.name == Statements.setUp.name { connection.lose() }
        switch failure.remedy {
        case .report(let error):
            if error.isConflict { connection.lease?.sawConflict = true }
            exchange.finish(.failure(error))
        case .leaveServer:
            connection.isRetiring = true
            exchange.finish(.failure(.unavailable))
        case .prepareAgain:
            // An unknown statement is prepared again there. A name that is taken cannot be.
            if !exchange.metUnknownStatement { connection.isRetiring = true }
            if connection.lease == nil, exchange.isAwaited, exchange.attempts == 1 { return .sendAgain }
            exchange.finish(.failure(.server(sqlState: failure.sqlState, constraint: nil)))
        }
        return .done
    }

    /// What a caller handles by itself is not worth a line.
    private func log(_ failure: ServerFailure, of exchange: Exchange) {
        let level: LogLevel
        switch failure.remedy {
        case .report(.uniqueViolation), .prepareAgain: level = .debug
        case .report(let error) where error.isConflict: level = .debug
        case .report(.deadlineExceeded): level = .warning
        case .report, .leaveServer: level = .error
        }
        logger.log(
            level, "PostgreSQL refused a statement",
            [
                "statement": .string(exchange.statement.name), "sqlstate": .string(failure.sqlState),
                "constraint": .string(failure.constraint ?? ""), "error": .string(failure.message ?? ""),
            ])
    }
}
