package import Logging
package import Networking
import Postgres
import Text

/// Carries out jobs behind everybody's back: claims what is due, has the handler of the kind make an attempt, and stores what came of it. Every
/// copy runs one, and they share the work. Kinds do not wait for each other.
///
/// Each job is carried out at least once. A copy that dies between the end of the work and its own note of it leaves the job to another one
/// after the lease. One that cannot reach PostgreSQL makes that note before anything else, and for kinds that avoid repetition all copies let
/// some time pass after PostgreSQL was away, so that each can.
package actor JobRunner {
    package struct Policy: Sendable {
        /// Jobs under way at once, of all kinds; at least as many as any one kind may have.
        package var parallelism = 16
        /// How often to look for jobs of other copies, and for those whose pause is over.
        package var pollInterval: Duration = .seconds(5)

        package init() {}

        /// How long nothing is claimed after PostgreSQL was away: every copy has looked by then.
        var settling: Duration { pollInterval * 2 }
    }

    /// What is known of PostgreSQL.
    private enum Store {
        case there
        case away
        /// It has been away until a moment ago.
        case back(Rest)
    }

    /// The longest a copy waits that has something to tell PostgreSQL.
    private static let urgentInterval: Duration = .seconds(1)

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let queue: JobQueue
    private let handlers: [any JobHandler]
    private let policy: Policy
    private let signal: JobSignal
    private let records: JobRecords
    private let upkeep: JobUpkeep
    private let system: SystemContext
    private let logger: Logger
    private var slots: JobSlots
    private var store = Store.there
    private var isRunning = true
    /// Kinds that are being worked through.
    private var busy: Set<JobKind> = []
    /// Kinds that found no place among the others.
    private var starved: Set<JobKind> = []
    /// Done, but PostgreSQL has not been told yet: these must not be done again.
    private var unrecorded: [(job: Job, handler: any JobHandler)] = []
    private var isRecording = false

    /// - Parameters:
    ///   - handlers: one for each kind that this copy can carry out. Jobs of other kinds wait for another copy.
    ///   - chores: what else is cleared up in PostgreSQL now and then.
    package init(
        queue: JobQueue, handlers: [any JobHandler], chores: [JobChore] = [], policy: Policy = Policy(), metrics: IdentityMetrics,
        system: SystemContext, signal: JobSignal, loop: EventLoop, logger: Logger
    ) {
        self.queue = queue
        self.handlers = handlers
        self.policy = policy
        self.signal = signal
        self.system = system
        self.loop = loop
        self.logger = logger
        slots = JobSlots(limit: handlers.map(\.policy.parallelism).reduce(policy.parallelism, max))
        records = JobRecords(queue: queue, metrics: metrics, system: system, logger: logger)
        upkeep = JobUpkeep(
            queue: queue, handlers: handlers, chores: chores, metrics: metrics, system: system, loop: loop, logger: logger)
    }

    /// Looks whenever the signal rings, and now and then, until `close(by:)`.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for handler in handlers { group.addTask { await self.listen(for: handler) } }
            group.addTask { await self.keepUpNowAndThen() }
        }
    }

    /// Claims nothing more.
    package func beginClosing() {
        isRunning = false
        signal.end()
    }

    /// Waits for the jobs under way and for PostgreSQL to know what was done, but not beyond `deadline`: another copy claims those again after
    /// their lease.
    package func close(by deadline: Instant) async {
        beginClosing()
        while !busy.isEmpty, Instant.now() < deadline { await loop.sleep(for: .milliseconds(10)) }
        while !unrecorded.isEmpty, Instant.now() < deadline {
            try? await record()
            if !unrecorded.isEmpty { await loop.sleep(for: .milliseconds(100)) }
        }
    }

    /// Goes once through everything that is due, and clears up.
    package func work() async {
        await withDiscardingTaskGroup { group in
            for handler in handlers { group.addTask { await self.workThrough(handler) } }
        }
        await keepUp()
    }

    private func listen(for handler: any JobHandler) async {
        let kind = handler.kind
        guard let rings = signal.rings(kind) else { return }
        signal.ring(kind)
        var timer: LoopTimer?
        for await _ in rings {
            guard isRunning else { break }
            await workThrough(handler)
            timer.map { loop.cancel($0) }
            timer = loop.schedule(after: policy.pollInterval) { [signal] in signal.ring(kind) }
        }
        timer.map { loop.cancel($0) }
    }

    private func keepUpNowAndThen() async {
        while isRunning {
            await keepUp()
            let due = loop.now + policy.pollInterval
            // In small steps: neither the end nor what PostgreSQL has to be told waits for long.
            while isRunning, loop.now < due, unrecorded.isEmpty {
                await loop.sleep(for: min(policy.pollInterval, Self.urgentInterval))
            }
            if !unrecorded.isEmpty { await loop.sleep(for: min(policy.pollInterval, Self.urgentInterval)) }
        }
    }

    private func workThrough(_ handler: any JobHandler) async {
        guard busy.insert(handler.kind).inserted else { return }
        defer { busy.remove(handler.kind) }
        do throws(PostgresError) {
            try await record()
            while try await claimAndCarryOut(handler) {}
        } catch {
            // What was claimed comes back with the end of its lease.
            noteAway(error)
        }
    }

    /// - Returns: whether more may be due.
    private func claimAndCarryOut(_ handler: any JobHandler) async throws(PostgresError) -> Bool {
        let (kind, policy) = (handler.kind, handler.policy)
        guard mayClaim(policy) else { return false }
        var topics: [String]?
        switch await handler.readiness() {
        case .everything: break
        case .topics(let some): topics = some
        case .nothing: return false
        }
        let places = slots.take(kind, atMost: policy.parallelism)
        guard places > 0 else {
            starved.insert(kind)
            return false
        }
        defer { leave(places, of: kind) }
        let jobs = try await queue.claim(places, of: kind, topics: topics, at: system.statementTime, for: policy.lease)
        let outcomes = await Self.carryOut(jobs, handler)
        // First of all what must not be done again.
        for (job, outcome) in outcomes where outcome == .done { unrecorded.append((job, handler)) }
        try await record()
        for (job, outcome) in outcomes { try await records.settle(job, outcome, handler) }
        return jobs.count == places
    }

    private static func carryOut(_ jobs: [Job], _ handler: any JobHandler) async -> [(Job, JobOutcome)] {
        await withTaskGroup { group in
            for job in jobs { group.addTask { (job, await handler.carryOut(job)) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func leave(_ count: Int, of kind: JobKind) {
        slots.give(count, of: kind)
        for kind in starved { signal.ring(kind) }
        starved.removeAll()
    }

    private func mayClaim(_ policy: JobPolicy) -> Bool {
        guard isRunning else { return false }
        guard policy.avoidsRepetition else { return true }
        return switch store {
        case .there: true
        case .away: false
        case .back(let rest): !rest.holds(at: system.now())
        }
    }

    /// Tells PostgreSQL of what was done; one at a time does.
    private func record() async throws(PostgresError) {
        guard !isRecording else { return }
        isRecording = true
        defer { isRecording = false }
        while let (job, handler) = unrecorded.first {
            try await records.finish(job, handler)
            unrecorded.removeFirst()
            await handler.didFinish(job)
        }
    }

    private func keepUp() async {
        do throws(PostgresError) {
            try await record()
            try await upkeep.keep()
            if case .away = store { store = .back(Rest(since: system.now(), length: policy.settling)) }
        } catch {
            noteAway(error)
        }
    }

    private func noteAway(_ error: PostgresError) {
        if case .away = store { return }
        store = .away
        logger.warning("the jobs cannot be read: mail and other work waits", ["error": "\(error)"])
    }
}

/// How many jobs a copy may carry out at once, by kind and in all.
struct JobSlots: Sendable {
    private let limit: Int
    private(set) var taken = 0
    private var takenOfKind: [JobKind: Int] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes as many as there are, at most those that the kind may have.
    mutating func take(_ kind: JobKind, atMost count: Int) -> Int {
        let free = max(0, min(count - takenOfKind[kind, default: 0], limit - taken))
        taken += free
        takenOfKind[kind, default: 0] += free
        return free
    }

    mutating func give(_ count: Int, of kind: JobKind) {
        taken -= count
        takenOfKind[kind, default: 0] -= count
    }

    func isEmpty(_ kind: JobKind) -> Bool {
        takenOfKind[kind, default: 0] == 0
    }
}
