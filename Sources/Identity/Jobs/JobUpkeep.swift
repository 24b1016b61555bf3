import Logging
import Networking
package import Postgres
import Text

/// Something else in PostgreSQL that is cleared up now and then, by the copies in turn.
package struct JobChore: Sendable {
    let period: Duration
    let carryOut: @Sendable (PostgresPool, StatementTime) async throws(PostgresError) -> Void

    package init(
        every period: Duration,
        _ carryOut: @escaping @Sendable (PostgresPool, StatementTime) async throws(PostgresError) -> Void
    ) {
        self.period = period
        self.carryOut = carryOut
    }
}

/// Gives up the jobs that are of no use any more, deletes those that are over, and counts what waits.
actor JobUpkeep {
    static let period: Duration = .seconds(60)

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let queue: JobQueue
    private let policies: [(kind: JobKind, policy: JobPolicy)]
    private let chores: [JobChore]
    private let metrics: IdentityMetrics
    private let system: SystemContext
    private let logger: Logger
    private var swept: Rest?
    private var choresDone: [Rest?]

    init(
        queue: JobQueue, handlers: [any JobHandler], chores: [JobChore], metrics: IdentityMetrics, system: SystemContext,
        loop: EventLoop, logger: Logger
    ) {
        self.loop = loop
        self.queue = queue
        policies = handlers.map { ($0.kind, $0.policy) }
        self.chores = chores
        self.metrics = metrics
        self.system = system
        self.logger = logger
        choresDone = chores.map { _ in nil }
    }

    func keep() async throws(PostgresError) {
        let now = system.now()
        if swept?.holds(at: now) != true {
            try await expire()
            for (kind, policy) in policies { try await queue.remove(kind, policy, at: system.statementTime) }
            swept = Rest(since: now, length: Self.period)
        }
        for (index, chore) in chores.enumerated() where choresDone[index]?.holds(at: now) != true {
            try await chore.carryOut(queue.pool, system.statementTime)
            choresDone[index] = Rest(since: now, length: chore.period)
        }
        let counts = try await queue.counts(at: system.statementTime)
        metrics.countJobs { $0.counts = counts }
    }

    private func expire() async throws(PostgresError) {
        let keeping = policies.filter(\.policy.keepsSecretGivenUp).map(\.kind)
        for (name, topic, count) in try await queue.expire(keepingSecretsOf: keeping, at: system.statementTime) {
            logger.warning(
                "jobs were not done in time, and were given up",
                ["kind": .string(name), "topic": .string(topic), "count": .integer(Int(count))])
            guard let kind = JobKind(rawValue: name) else { continue }
            metrics.countJobs { $0.count(.expired, kind, topic, UInt64(count)) }
        }
    }
}
