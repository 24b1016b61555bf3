package import Logging
package import Networking
package import Postgres
import Text

/// Makes the partitions of the months to come, and drops those whose time is over: on one loop of each copy, and one copy at a time does it for
/// all, by an advisory lock.
package actor AuditUpkeep {
    /// How often it looks.
    package static let period: Duration = .seconds(3600)
    /// How soon again after a failure.
    private static let retryPeriod: Duration = .seconds(60)
    /// Months that are there before they begin.
    package static let monthsAhead = 2
    /// Events that are deleted at once where a whole month cannot be dropped.
    private static let batch = 10_000

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let store: AuditPartitions
    private let metrics: IdentityMetrics
    private let system: SystemContext
    private let logger: Logger
    private var retention: Duration
    private var isRunning = true

    /// - Parameter retention: how long events are kept at least; zero for ever.
    package init(
        pool: PostgresPool, retention: Duration, metrics: IdentityMetrics, system: SystemContext, logger: Logger
    ) {
        loop = pool.loop
        store = AuditPartitions(pool: pool)
        self.retention = retention
        self.metrics = metrics
        self.system = system
        self.logger = logger
    }

    package func use(retention: Duration) {
        self.retention = retention
    }

    /// Until `close()`.
    package func run() async {
        while isRunning {
            let pause = await keep() != nil ? Self.period : Self.retryPeriod
            let due = loop.now + pause
            // In small steps: the end does not wait for the hour.
            while isRunning, loop.now < due { await loop.sleep(for: .seconds(1)) }
        }
    }

    package func close() {
        isRunning = false
    }

    /// What a look has changed.
    package struct Changes: Equatable, Sendable {
        package var made = 0
        package var dropped = 0
        /// Events of what is no month's partition, which are deleted one by one.
        package var deleted = 0
    }

    /// Looks once; nil when that failed.
    @discardableResult
    package func keep() async -> Changes? {
        do throws(PostgresError) {
            let made = try await store.make(ahead: Self.monthsAhead, at: system.statementTime)
            let gone = try await expire()
            if made > 0 || gone.partitions > 0 || gone.events > 0 {
                logger.info(
                    "audit partitions kept",
                    [
                        "made": .integer(made), "dropped": .integer(gone.partitions), "deleted": .integer(gone.events),
                    ])
            }
            metrics.noteAuditUpkeep(failing: false)
            return Changes(made: made, dropped: gone.partitions, deleted: gone.events)
        } catch {
            logger.warning(
                "audit partitions not kept",
                [
                    "error": "\(error)",
                    "remedy":
                        "nothing is lost: events go to audit_events_default. Grant DELETE on audit_events to our role if it lacks it",
                ])
            metrics.noteAuditUpkeep(failing: true)
            return nil
        }
    }

    private func expire() async throws(PostgresError) -> (partitions: Int, events: Int) {
        var gone = (partitions: 0, events: 0)
        guard retention > .zero else { return gone }
        while true {
            let step = try await store.expire(after: retention, atMost: Self.batch, at: system.statementTime)
            gone = (gone.partitions + step.dropped, gone.events + step.deleted)
            guard step.deleted >= Self.batch, isRunning else { return gone }
        }
    }
}
