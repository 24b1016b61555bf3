import Logging
import Networking

/// What happens when all connections together hold too much for clients that are slow to send or to read, or when few places are left.
extension HTTPServer {
    /// Connections that are closed in one turn: others wait meanwhile.
    private static var closesPerTurn: Int { 32 }

    func shed() {
        let losers = giveBackMemory() + makeRoom()
        close((losers + makeRoomAmongIdle(but: losers.count))[...], after: 0)
    }

    /// Closes some, and the rest in further turns. Those that hold nothing any more by then, or wait for nobody, have been served.
    /// - Parameter count: how many have been closed in the turns before.
    private func close(_ losers: ArraySlice<Loser>, after count: Int) {
        let closed = losers.prefix(Self.closesPerTurn).count { loser in loser.connection.assumeIsolated { loser.end($0) } }
        let rest = losers.dropFirst(Self.closesPerTurn)
        guard !rest.isEmpty else { return ledger.endShedding(of: count + closed) }
        loop.call { self.assumeIsolated { $0.close(rest, after: count + closed) } }
    }

    /// One that is closed soon.
    private struct Loser: Sendable {
        let connection: HTTPConnection
        let loss: ConnectionLoss

        /// - Returns: whether it has been closed.
        func end(_ connection: isolated HTTPConnection) -> Bool {
            switch loss {
            case .memory where connection.held > 0 && connection.waitsSince != nil: connection.shed()
            case .crowded where connection.silentSince != nil: connection.shed()
            case .idle where connection.idleSince != nil: return connection.endIdle()
            case .memory, .crowded, .idle, .tooMany: return false
            }
            return true
        }
    }

    /// Connections of the sites that hold most, down to what each of them may keep, and no more than that it is enough: of each the connections
    /// that hold most, and among equals the one that has waited longest. Those that wait for an endpoint are left alone: it would go on all the same.
    private func giveBackMemory() -> [Loser] {
        let excess = ledger.excess()
        let candidates = candidates(of: excess).mapValues { $0.sorted(by: >) }
        // A connection may hold more than its site has to give back: with one of each site far too much would go.
        let sites = candidates.keys.sorted { one, other in
            let (most, least) = (excess[one] ?? 0, excess[other] ?? 0)
            guard most == least, let first = candidates[one]?.first, let second = candidates[other]?.first else {
                return most > least
            }
            return first > second
        }
        var wanted = excess.values.reduce(0, +)
        var losers: [Candidate] = []
        for site in sites where wanted > 0 {
            var rest = excess[site] ?? 0
            for candidate in candidates[site] ?? [] where rest > 0 {
                rest -= candidate.held
                wanted -= candidate.held
                losers.append(candidate)
            }
        }
        return lost(losers, .memory, limit: ("limit_bytes", ledger.byteLimit))
    }

    /// Connections of the sites that have most of them: those first that have been silent for longest.
    private func makeRoom() -> [Loser] {
        let excess = ledger.crowd()
        guard !excess.isEmpty else { return [] }
        var silent: [ClientLedger.Client: [Candidate]] = [:]
        for connection in connections.values {
            connection.assumeIsolated { connection in
                guard excess[connection.client.site] != nil, let since = connection.silentSince else { return }
                silent[connection.client.site, default: []].append(Candidate(connection: connection, held: 0, since: since))
            }
        }
        var losers: [Loser] = []
        for (site, candidates) in silent {
            losers += lost(Array(candidates.sorted(by: >).prefix(excess[site] ?? 0)), .crowded, limit: ("limit", ledger.places))
        }
        return losers
    }

    /// Connections that are between requests, whoever has them: those first that have been for longest. But for a proxy's, whose requests
    /// come at any moment and are many clients'.
    /// - Parameter others: how many others end.
    private func makeRoomAmongIdle(but others: Int) -> [Loser] {
        let wanted = ledger.surplus(among: connections.count) - others
        guard wanted > 0 else { return [] }
        let idle = connections.values.compactMap { connection in
            connection.assumeIsolated { connection -> Candidate? in
                // One that a PROXY header has named the client of is that client's.
                let isShared = connection.origin.isProxy(proxies) && connection.origin.untrustedSource == nil
                guard !isShared, let since = connection.idleSince else { return nil }
                return Candidate(connection: connection, held: 0, since: since)
            }
        }
        return lost(Array(idle.sorted(by: >).prefix(wanted)), .idle, limit: ("limit", ledger.places))
    }

    /// Counts them and tells of them.
    private func lost(_ candidates: [Candidate], _ loss: ConnectionLoss, limit: (name: String, value: Int)) -> [Loser] {
        guard let one = candidates.first else { return [] }
        lose(
            loss, times: UInt64(candidates.count),
            [
                "peer": .string(one.connection.assumeIsolated { $0.origin.source }),
                "closed": .integer(Int64(clamping: candidates.count)), limit.name: .integer(limit.value),
            ])
        return candidates.map { Loser(connection: $0.connection, loss: loss) }
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
        guard !excess.isEmpty else { return [:] }
        var candidates = excess.mapValues { _ in [Candidate]() }
        for connection in connections.values {
            connection.assumeIsolated { connection in
                guard connection.held > 0, let since = connection.waitsSince else { return }
                candidates[connection.client.site]?.append(Candidate(connection: connection, held: connection.held, since: since))
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
