import Synchronization

/// What the clients of a process take of it, over all its loops, by address: connections, and memory that waits for them.
///
/// Touched when a connection comes or goes and when it begins or ends to wait for its client, not with a request that is there.
package final class ClientLedger: Sendable {
    /// Who counts as one: an IPv4 address, or the network of an IPv6 address (/64), which is what one subscriber has.
    package struct Client: Hashable, Sendable {
        private let upper: UInt64
        private let lower: UInt32

        package init(_ address: IPAddress?) {
            switch address {
            case .v4(let value): (upper, lower) = (0, value)
            case .v6(let network, _): (upper, lower) = (network, .max)
            case nil: (upper, lower) = (0, 0)
            }
        }
    }

    /// What a connection costs whatever it holds, in the reckoning of `estimate`.
    private static let connectionCost = 2048
    /// What one client may hold of the limit and still have further connections when half of it is in use: one part in so many.
    private static let shares = 32
    /// How much of the limit may be in use once clients have been shed, in quarters: so that it is rarely done.
    private static let quartersAfterShedding = 3

    private struct Account {
        var connections = 0
        var bytes = 0
    }

    private struct State {
        var accounts: [Client: Account] = [:]
        var connections = 0
        var bytes = 0
        /// The most since it was last asked for.
        var peak = 0
        var shedders: [@Sendable () -> Void] = []
        /// How many of them are still to be done.
        var shedding = 0

        var estimate: Int { bytes + connections * ClientLedger.connectionCost }
    }

    /// Connections that one client may have at once.
    package let connectionsEach: Int
    /// Bytes that may be held for all clients together.
    package let byteLimit: Int
    private let state = Mutex(State())

    package init(connectionsEach: Int = 1000, byteLimit: Int = 64 * 1024 * 1024) {
        self.connectionsEach = connectionsEach
        self.byteLimit = byteLimit
    }

    /// Bytes held for all clients.
    package var bytes: Int { state.withLock { $0.bytes } }

    /// Whether a client may have one more connection.
    package enum Admission: Sendable {
        case admitted
        /// It has as many as one may have.
        case tooMany
        /// It holds too much already, while memory is short. Otherwise who has been shed would come again at once, and be shed again.
        case tooMuch
    }

    /// Enters a connection.
    /// - Parameter isProxy: whether it stands for many clients: then it may have any number.
    package func admit(_ client: Client, isProxy: Bool) -> Admission {
        state.withLock { state in
            let account = state.accounts[client] ?? Account()
            if !isProxy {
                guard account.connections < connectionsEach else { return .tooMany }
                guard account.bytes < byteLimit / Self.shares || state.bytes < byteLimit / 2 else { return .tooMuch }
            }
            state.accounts[client, default: account].connections += 1
            state.connections += 1
            state.peak = max(state.peak, state.estimate)
            return .admitted
        }
    }

    /// Strikes a connection out that holds nothing any more.
    package func leave(_ client: Client) {
        state.withLock { state in
            guard var account = state.accounts[client] else { return }
            account.connections -= 1
            state.accounts[client] = account.connections > 0 ? account : nil
            state.connections -= 1
        }
    }

    /// A connection holds so many bytes more, or less if negative. Has clients shed if all together hold too much.
    package func hold(_ bytes: Int, for client: Client) {
        let shedders: [@Sendable () -> Void] = state.withLock { state in
            state.accounts[client]?.bytes += bytes
            state.bytes += bytes
            state.peak = max(state.peak, state.estimate)
            guard bytes > 0, state.bytes > byteLimit, state.shedding == 0 else { return [] }
            state.shedding = state.shedders.count
            return state.shedders
        }
        for shed in shedders { shed() }
    }

    /// Adds who is told when too much is held. Called from any thread, it has to call `endShedding()` once it has done its part.
    package func onExcess(_ shed: @escaping @Sendable () -> Void) {
        state.withLock { $0.shedders.append(shed) }
    }

    package func endShedding() {
        state.withLock { $0.shedding -= 1 }
    }

    /// Who has to give back how many bytes: those that hold most, down to the level at which all together hold little enough.
    package func excess() -> [Client: Int] {
        state.withLock { state in
            guard state.bytes > byteLimit / 4 * Self.quartersAfterShedding else { return [:] }
            let level = Self.level(state.accounts.values.map(\.bytes), target: byteLimit / 4 * Self.quartersAfterShedding)
            return state.accounts.mapValues { $0.bytes - level }.filter { $0.value > 0 }
        }
    }

    /// The largest holding that everybody may keep so that the sum is no more than `target`.
    static func level(_ holdings: [Int], target: Int) -> Int {
        let sorted = holdings.sorted(by: >)
        var rest = sorted.reduce(0, +)
        guard rest > target else { return sorted.first ?? 0 }
        for (index, holding) in sorted.enumerated() {
            rest -= holding
            let next = index + 1 < sorted.count ? sorted[index + 1] : 0
            // With the first ones cut down to the next one's, is it enough?
            if rest + next * (index + 1) <= target { return (target - rest) / (index + 1) }
        }
        return 0
    }

    /// The memory that clients take, by a rough reckoning.
    package var estimate: Int { state.withLock { $0.estimate } }

    /// The most memory that clients have taken since this was last asked, by a rough reckoning.
    package func takePeak() -> Int {
        state.withLock { state in
            defer { state.peak = state.estimate }
            return state.peak
        }
    }
}
