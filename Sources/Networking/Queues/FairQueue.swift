/// Jobs that wait. Networks take turns, and within each its addresses; the jobs of an address keep their order.
///
/// When there is no room, who has most of it gives some up: the newest job of whoever has the most waiting makes room for who has less. So
/// overload is told to the one who overloads. What waits for one group (an account, say) is bounded for those who have much of it waiting:
/// an address that has nothing waiting for it is never refused on its account, whatever strangers have there. A pure value.
package struct FairQueue<Job: Sendable>: Sendable {
    /// What becomes of a new job.
    package enum Admission: Sendable {
        /// It waits. Those that had to make room do not any more.
        case waiting(insteadOf: [Job])
        case refused
    }

    private struct Entry: Sendable {
        let job: Job
        let owner: JobOwner
        /// Rises with each job.
        let number: Int
    }

    /// The jobs of a network.
    private struct Line: Sendable {
        var turns = Turns<String>()
        /// By address; never an empty list.
        var waiting: [String: [Entry]] = [:]
        var count = 0
    }

    /// Within what there is no room.
    private enum Scope {
        case all
        case network
        case group(Int)
    }

    /// For so long after jobs of two networks have come, no network has all the threads.
    private static var memory: Duration { .seconds(10) }

    private let bounds: JobOwner.Bounds
    /// How many jobs run at once.
    private let threads: Int
    private let reserve: JobOwner.Reserve
    /// Jobs that run, by network.
    private var running: [String: Int] = [:]
    /// The network of the newest job, and when that was another one than before.
    private var newest: String?
    private var changedAt: Instant?
    private var turns = Turns<String>()
    private var lines: [String: Line] = [:]
    private var groupCounts: [[String: Int]]
    private var nextNumber = 0
    package private(set) var count = 0

    package init(_ bounds: JobOwner.Bounds, threads: Int = 1, reserve: JobOwner.Reserve = .whileOthersCome) {
        self.bounds = bounds
        self.threads = threads
        self.reserve = reserve
        groupCounts = bounds.groups.map { _ in [:] }
    }

    /// Whether there is nothing left of anybody. For tests.
    var isForgetful: Bool { count == 0 && running.isEmpty && lines.isEmpty && groupCounts.allSatisfy(\.isEmpty) }

    package mutating func add(_ job: Job, for owner: JobOwner, at now: Instant = Instant(nanoseconds: 0)) -> Admission {
        if let newest, newest != owner.network { changedAt = now }
        newest = owner.network
        guard lines[owner.network]?.waiting[owner.address]?.count ?? 0 < bounds.address else { return .refused }
        var leaving: [Entry] = []
        for scope in fullScopes(for: owner) where !leaving.contains(where: { Self.covers(scope, $0.owner, owner) }) {
            switch spare(in: scope, for: owner) {
            case .entry(let entry): leaving.append(entry)
            case .notNeeded: break
            case .none: return .refused
            }
        }
        for entry in leaving { remove(entry) }
        append(Entry(job: job, owner: owner, number: nextNumber))
        nextNumber += 1
        return .waiting(insteadOf: leaving.map(\.job))
    }

    /// The job whose turn it is, which does not wait any more but runs, until `ended`. Nil also while all that waits is of a network that has
    /// all threads but one, and that one is left for others (`JobOwner.Reserve`).
    package mutating func next(at now: Instant = Instant(nanoseconds: 0)) -> (job: Job, network: String)? {
        guard let network = turns.next(but: held(at: now), { [lines] in lines[$0] != nil }), var line = lines[network],
            let address = line.turns.next({ [waiting = line.waiting] in waiting[$0] != nil }),
            let entry = line.waiting[address]?.first
        else { return nil }
        lines[network] = line
        line = Line()
        remove(entry)
        running[network, default: 0] += 1
        return (entry.job, network)
    }

    /// A job of a network has run.
    package mutating func ended(_ network: String) {
        guard let count = running[network] else { return }
        running[network] = count > 1 ? count - 1 : nil
    }

    private func held(at now: Instant) -> String? {
        let isLeft =
            switch reserve {
            case .always: true
            case .whileOthersCome: changedAt.map { now.since($0) < Self.memory } ?? false
            }
        guard threads > 1, isLeft else { return nil }
        return running.first { $0.value >= threads - 1 }?.key
    }

    /// From the narrowest to the widest.
    private func fullScopes(for owner: JobOwner) -> [Scope] {
        var scopes: [Scope] = []
        if lines[owner.network]?.count ?? 0 >= bounds.network { scopes.append(.network) }
        for (index, group) in owner.groups.enumerated() where index < bounds.groups.count && !group.isEmpty {
            if groupCounts[index][group] ?? 0 >= bounds.groups[index] { scopes.append(.group(index)) }
        }
        if count >= bounds.all { scopes.append(.all) }
        return scopes
    }

    private static func covers(_ scope: Scope, _ other: JobOwner, _ owner: JobOwner) -> Bool {
        switch scope {
        case .all: true
        case .network: other.network == owner.network
        case .group(let index): other.groups.indices.contains(index) && other.groups[index] == owner.groups[index]
        }
    }

    private enum Spare {
        case entry(Entry)
        /// The newcomer may go beyond the bound.
        case notNeeded
        case none
    }

    /// The newest job of who has the most within a scope, if that is so much more than the newcomer has that both are better off with
    /// one of each. All is shared among networks, everything else among addresses.
    private func spare(in scope: Scope, for owner: JobOwner) -> Spare {
        func party(_ owner: JobOwner) -> String {
            if case .all = scope { owner.network } else { owner.address }
        }
        var shares: [String: (count: Int, newest: Entry)] = [:]
        for line in lines.values {
            for entry in line.waiting.values.joined() where Self.covers(scope, entry.owner, owner) {
                let share = shares[party(entry.owner)]
                let newest = share.map { $0.newest.number > entry.number ? $0.newest : entry } ?? entry
                shares[party(entry.owner)] = ((share?.count ?? 0) + 1, newest)
            }
        }
        let own = shares[party(owner)]?.count ?? 0
        let largest = shares.values.max { ($0.count, $0.newest.number) < ($1.count, $1.newest.number) }
        if let largest, largest.count > own + 1 { return .entry(largest.newest) }
        if case .group = scope, own == 0 { return .notNeeded }
        return .none
    }

    private mutating func append(_ entry: Entry) {
        let owner = entry.owner
        turns.join(owner.network)
        lines[owner.network, default: Line()].turns.join(owner.address)
        lines[owner.network]?.waiting[owner.address, default: []].append(entry)
        lines[owner.network]?.count += 1
        count += 1
        count(owner, by: 1)
    }

    private mutating func remove(_ entry: Entry) {
        let owner = entry.owner
        lines[owner.network]?.waiting[owner.address]?.removeAll { $0.number == entry.number }
        if lines[owner.network]?.waiting[owner.address]?.isEmpty == true {
            lines[owner.network]?.waiting[owner.address] = nil
        }
        lines[owner.network]?.count -= 1
        if lines[owner.network]?.count == 0 { lines[owner.network] = nil }
        count -= 1
        count(owner, by: -1)
    }

    private mutating func count(_ owner: JobOwner, by change: Int) {
        for (index, group) in owner.groups.enumerated() where index < bounds.groups.count && !group.isEmpty {
            let sum = (groupCounts[index][group] ?? 0) + change
            groupCounts[index][group] = sum == 0 ? nil : sum
        }
    }
}
