import Logging
import Networking

/// What happens when all connections together hold too much for clients that are slow to send or to read.
extension HTTPServer {
    /// Closes connections of the clients that hold most, down to what each of them may keep: of each the connections that hold most, and
    /// among equals the one that has waited longest. Those that wait for an endpoint are left alone: it would go on all the same.
    func shed() {
        defer { ledger.endShedding() }
        let excess = ledger.excess()
        guard !excess.isEmpty else { return }
        for (client, candidates) in candidates(of: excess) {
            var rest = excess[client] ?? 0
            var count: UInt64 = 0
            for candidate in candidates.sorted(by: >) {
                guard rest > 0 else { break }
                rest -= candidate.held
                count += 1
                candidate.connection.assumeIsolated { $0.shed() }
            }
            guard count > 0, let one = candidates.first else { continue }
            lose(
                .memory, times: count,
                [
                    "peer": .string(one.connection.assumeIsolated { $0.origin.source }),
                    "closed": .integer(Int64(clamping: count)), "limit_bytes": .integer(ledger.byteLimit),
                ])
        }
    }

    /// A connection that may be closed. Greater: earlier.
    private struct Candidate: Comparable {
        let connection: HTTPConnection
        let held: Int
        let since: Instant

        static func == (left: Candidate, right: Candidate) -> Bool {
            left.held == right.held && left.since == right.since
        }

        static func < (left: Candidate, right: Candidate) -> Bool {
            left.held == right.held ? left.since > right.since : left.held < right.held
        }
    }

    private func candidates(of excess: [ClientLedger.Client: Int]) -> [ClientLedger.Client: [Candidate]] {
        var candidates = excess.mapValues { _ in [Candidate]() }
        for connection in connections.values {
            connection.assumeIsolated { connection in
                guard connection.held > 0, let since = connection.waitsSince else { return }
                candidates[connection.client]?.append(Candidate(connection: connection, held: connection.held, since: since))
            }
        }
        return candidates
    }

    /// Counts connections that are closed upon a client, and warns if nobody has within a minute.
    nonisolated func lose(_ loss: ConnectionLoss, times: UInt64 = 1, _ fields: @autoclosure () -> LogFields) {
        metrics.count(loss, times: times)
        guard logger.isEnabled(.warning), connectionWarnings.mayWarn(of: loss, at: loop.now) else { return }
        logger.warning(loss.message, fields())
    }
}
