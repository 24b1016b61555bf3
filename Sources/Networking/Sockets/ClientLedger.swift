import Synchronization

/// What the clients of a process take of it, over all its loops, by address: connections, and memory that waits for them.
///
/// Touched when a connection comes or goes and when it begins or ends to wait for its client, not with a request that is there.
package final class ClientLedger: Sendable {
    /// Who counts as one: an IPv4 address, or the network of an IPv6 address (/64), which is what one subscriber has.
    package struct Client: Hashable, Sendable {
        private enum Kind {
            case none, address, network, site
        }

        private let kind: Kind
        private let bits: UInt64

        package init(_ address: IPAddress?) {
            switch address {
            case .v4(let value): self.init(.address, UInt64(value))
            case .v6(let network, _): self.init(.network, network)
            case nil: self.init(.none, 0)
            }
        }

        private init(_ kind: Kind, _ bits: UInt64) {
            self.kind = kind
            self.bits = bits
        }

        /// Among whom places and memory are shared once they are short: an IPv4 address, or a /48 of IPv6, which anybody can rent.
        package var site: Client {
            if case .network = kind { Client(.site, bits & ~0xFFFF) } else { self }
        }
    }

    /// How many networks of one /48 may have as many connections as one may have.
    private static let networksOfSite = 4
    /// When so many sixteenths of the places are taken, who has most of them loses some.
    private static let crowdedSixteenths = 15
    /// Nobody loses connections who has so few.
    private static let fewConnections = 4
    /// What a connection costs whatever it holds, in the reckoning of `estimate`.
    private static let connectionCost = 2048
    /// What one site may have of the places or the memory and still get further connections while they are short: one part in so many.
    private static let shares = 32
    /// How much of the limit may be in use once clients have been shed, in quarters: so that it is rarely done.
    private static let quartersAfterShedding = 3
    /// How often places are looked for while there is none: that costs a look at every connection.
    private static let searchInterval: Duration = .milliseconds(100)

    private struct Account {
        var connections = 0
        var bytes = 0
        var isProxy = false
    }

    private struct State {
        /// Of sites.
        var accounts: [Client: Account] = [:]
        /// Connections of networks that are part of a site.
        var networks: [Client: Int] = [:]
        var connections = 0
        var bytes = 0
        /// The most since it was last asked for.
        var peak = 0
        var shedders: [@Sendable () -> Void] = []
        /// How many of them are still to be done.
        var shedding = 0
        /// How many connections they have closed.
        var closed = 0
        /// At so many connections it is time to shed: not again before there are more, if that has not helped.
        var crowdedAt: Int
        /// When it may be tried again to find places where there is none.
        var nextSearch = Instant(nanoseconds: 0)

        var estimate: Int { bytes + connections * ClientLedger.connectionCost }
    }

    /// Connections that one client may have at once.
    package let connectionsEach: Int
    /// Bytes that may be held for all clients together.
    package let byteLimit: Int
    /// Connections that there may be in all.
    package let places: Int
    private let state: Mutex<State>

    package init(connectionsEach: Int = 1000, byteLimit: Int = 64 * 1024 * 1024, places: Int = 10_000) {
        self.connectionsEach = connectionsEach
        self.byteLimit = byteLimit
        self.places = places
        state = Mutex(State(crowdedAt: Self.crowded(places)))
    }

    /// A connection finds no place. Has others shed, unless that has been tried a moment ago.
    package func findsNoPlace(at now: Instant) {
        let shedders: [@Sendable () -> Void] = state.withLock { state in
            guard state.shedding == 0, now >= state.nextSearch else { return [] }
            state.nextSearch = now + Self.searchInterval
            state.shedding = state.shedders.count
            return state.shedders
        }
        for shed in shedders { shed() }
    }

    private static func crowded(_ places: Int) -> Int { max(1, places * crowdedSixteenths / 16) }
    /// How many are left when some have been shed.
    private var calmPlaces: Int { places / 4 * Self.quartersAfterShedding }
    /// How many further connections may come before places are looked for again.
    private var step: Int { max(1, places / 64) }

    /// Bytes held for all clients.
    package var bytes: Int { state.withLock { $0.bytes } }

    /// Whether a client may have one more connection.
    package enum Admission: Sendable {
        case admitted
        /// It has as many as one may have.
        case tooMany
        /// It holds too much already, while memory is short. Otherwise who has been shed would come again at once, and be shed again.
        case tooMuch
        /// It has its share of the places, while few are left.
        case crowded
    }

    /// Enters a connection. Has others shed if too few places are left.
    /// - Parameter isProxy: whether it stands for many clients: then it may have any number.
    package func admit(_ client: Client, isProxy: Bool) -> Admission {
        let (admission, shedders) = state.withLock { state -> (Admission, [@Sendable () -> Void]) in
            if !isProxy, let refusal = refusal(of: client, state) { return (refusal, []) }
            let site = client.site
            state.accounts[site, default: Account()].connections += 1
            if isProxy { state.accounts[site]?.isProxy = true }
            if site != client { state.networks[client, default: 0] += 1 }
            state.connections += 1
            state.peak = max(state.peak, state.estimate)
            guard state.connections >= state.crowdedAt, state.shedding == 0 else { return (.admitted, []) }
            // Where there is no place at all, `findsNoPlace` has it tried again.
            state.crowdedAt = state.connections + step
            state.shedding = state.shedders.count
            return (.admitted, state.shedders)
        }
        for shed in shedders { shed() }
        return admission
    }

    private func refusal(of client: Client, _ state: borrowing State) -> Admission? {
        let site = client.site
        let account = state.accounts[site] ?? Account()
        if site != client {
            guard state.networks[client] ?? 0 < connectionsEach else { return .tooMany }
            guard account.connections < connectionsEach * Self.networksOfSite else { return .tooMany }
        } else {
            guard account.connections < connectionsEach else { return .tooMany }
        }
        let share = max(Self.fewConnections, places / Self.shares)
        guard account.connections < share || state.connections < calmPlaces else { return .crowded }
        guard account.bytes < byteLimit / Self.shares || state.bytes < byteLimit / 2 else { return .tooMuch }
        return nil
    }

    /// Strikes a connection out that holds nothing any more.
    package func leave(_ client: Client) {
        let site = client.site
        state.withLock { state in
            guard var account = state.accounts[site] else { return }
            account.connections -= 1
            state.accounts[site] = account.connections > 0 ? account : nil
            if site != client, let count = state.networks[client] { state.networks[client] = count > 1 ? count - 1 : nil }
            state.connections -= 1
            if state.connections < Self.crowded(places) { state.crowdedAt = Self.crowded(places) }
        }
    }

    /// A connection holds so many bytes more, or less if negative. Has clients shed if all together hold too much.
    package func hold(_ bytes: Int, for client: Client) {
        let shedders: [@Sendable () -> Void] = state.withLock { state in
            state.accounts[client.site]?.bytes += bytes
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

    /// Too much may be held all the same: what has come meanwhile has told nobody. Then it goes on, unless nobody could be closed.
    /// - Parameter count: how many connections have been closed.
    package func endShedding(of count: Int) {
        let shedders: [@Sendable () -> Void] = state.withLock { state in
            state.shedding -= 1
            state.closed += count
            guard state.shedding == 0 else { return [] }
            defer { state.closed = 0 }
            guard state.bytes > byteLimit, state.closed > 0 else { return [] }
            state.shedding = state.shedders.count
            return state.shedders
        }
        for shed in shedders { shed() }
    }

    /// Which sites have to give back how many bytes: those that hold most, down to the level at which all together hold little enough.
    package func excess() -> [Client: Int] {
        state.withLock { state in
            guard state.bytes > byteLimit / 4 * Self.quartersAfterShedding else { return [:] }
            let level = Self.level(state.accounts.values.map(\.bytes), target: byteLimit / 4 * Self.quartersAfterShedding)
            return state.accounts.mapValues { $0.bytes - level }.filter { $0.value > 0 }
        }
    }

    /// Which sites have to give up how many connections: those that have most, down to the level at which all together leave room. A proxy's
    /// are those of many.
    package func crowd() -> [Client: Int] {
        state.withLock { state in
            guard state.connections > calmPlaces else { return [:] }
            let counts = state.accounts.filter { !$0.value.isProxy }.mapValues(\.connections)
            let room = calmPlaces - (state.connections - counts.values.reduce(0, +))
            let level = max(Self.fewConnections, Self.level(Array(counts.values), target: max(0, room)))
            return counts.mapValues { $0 - level }.filter { $0.value > 0 }
        }
    }

    /// How many of `count` connections should end so that others find a place, whoever has them. None if all are proxies': those stay.
    package func surplus(among count: Int) -> Int {
        state.withLock { state in
            let surplus = state.connections - (Self.crowded(places) - step)
            guard state.connections >= Self.crowded(places), count > 0 else { return 0 }
            guard state.accounts.values.contains(where: { !$0.isProxy }) else { return 0 }
            // Each loop ends its part of them.
            return (surplus * count + state.connections - 1) / state.connections
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
