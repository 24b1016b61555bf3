package import Logging
package import Networking
package import Postgres
import Text

/// Writes audit events to PostgreSQL behind the back of who caused them: a sign-in does not wait, and a crash loses at most
/// what came in since the last write, which is due every half second.
///
/// While PostgreSQL is away events wait in memory, up to a bound; beyond it the oldest are dropped: counted, and written to the log instead,
/// each as `AuditQueries.insert` takes it.
package actor AuditLog {
    private static let period: Duration = .milliseconds(500)
    /// Events of one statement.
    private static let batch = 500
    /// Between the lines of so many events at the end.
    private static let logPause: Duration = .milliseconds(10)

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let pool: PostgresPool
    private let logger: Logger
    private let metrics: IdentityMetrics
    private var refreshes: RefreshRecording
    private var waiting: AuditQueue
    /// Dropped since the log was told.
    private var droppedCount = 0
    private var isRunning = true

    /// - Parameter capacity: how many events may wait for PostgreSQL.
    package init(
        pool: PostgresPool, metrics: IdentityMetrics, capacity: Int, refreshes: RefreshRecording.Rule = .each,
        logger: Logger
    ) {
        self.refreshes = RefreshRecording(refreshes)
        loop = pool.loop
        self.pool = pool
        self.metrics = metrics
        self.logger = logger
        waiting = AuditQueue(capacity: capacity)
    }

    /// Takes an event in. Returns at once.
    package func record(_ event: AuditEvent) {
        guard let event = refreshes.admitted(event) else { return }
        if let oldest = waiting.append(event) { drop(oldest) }
    }

    /// Writes what has come in, twice a second, until `close()`.
    package func run() async {
        while isRunning {
            await loop.sleep(for: Self.period)
            await write()
            logDropped()
        }
    }

    /// Writes what is waiting now. What PostgreSQL does not take goes on waiting.
    package func flush() async {
        await write()
    }

    /// What PostgreSQL has not taken yet, as lines that can be brought in like those of the log.
    package var unwritten: [String] {
        waiting.prefix(waiting.count).map { event in
            var line = JSONObject()
            line["message"] = "audit event not stored"
            line["event"] = .string(Self.text(of: event))
            return String(decoding: JSONValue.object(line).serialized, as: UTF8.self)
        }
    }

    /// Writes what is still waiting and ends. PostgreSQL is asked once: the first statement that it does not carry out in time is the last.
    /// What is left is dropped.
    /// - Returns: how many that were.
    @discardableResult
    package func close() async -> Int {
        isRunning = false
        await write()
        let left = waiting.count
        while !waiting.isEmpty {
            let events = waiting.prefix(Self.batch)
            for event in events { drop(event) }
            waiting.remove(events)
            // The log is bounded too, and has to be written meanwhile.
            await loop.sleep(for: Self.logPause)
        }
        logDropped()
        return left
    }

    private func write() async {
        var limit = Self.batch
        while !waiting.isEmpty {
            let events = waiting.prefix(limit)
            do throws(PostgresError) {
                _ = try await pool.query(AuditQueries.insert, [.json(Self.rendered(events))])
            } catch {
                guard error.refusesData else {
                    // They stay and are tried again; the id keeps a repeated write from doubling them.
                    let count = LogValue.integer(waiting.count)
                    logger.warning("audit events are waiting", ["count": count, "error": "\(error)"])
                    return
                }
                // One of them can never be written, and must not hold up the others.
                guard events.count == 1 else {
                    limit = events.count / 2
                    continue
                }
                for event in events { drop(event) }
            }
            // Others may have been dropped or come in meanwhile.
            waiting.remove(events)
            limit = Self.batch
        }
    }

    private func drop(_ event: AuditEvent) {
        metrics.countDroppedAuditEvents(1)
        droppedCount += 1
        logger.warning("audit event not stored", ["event": .string(Self.text(of: event))])
    }

    private static func text(of event: AuditEvent) -> String {
        String(decoding: JSONValue.object(event.stored).serialized, as: UTF8.self)
    }

    private func logDropped() {
        guard droppedCount > 0 else { return }
        logger.error("audit events dropped", ["count": .integer(droppedCount)])
        droppedCount = 0
    }

    private static func rendered(_ events: ArraySlice<AuditEvent>) -> String {
        var writer = JSONWriter(capacity: events.count * 256)
        writer.beginArray()
        for event in events { writer.object(event.stored) }
        writer.endArray()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension PostgresError {
    /// Whether it is the data that the server does not take (SQLSTATE classes 22 and 23), so that trying again does not help.
    fileprivate var refusesData: Bool {
        switch self {
        case .server(let sqlState, _): sqlState.hasPrefix("22") || sqlState.hasPrefix("23")
        case .uniqueViolation, .invalidParameter: true
        case .unavailable, .overloaded, .deadlineExceeded, .unexpectedColumn, .invalidConnectionString: false
        }
    }
}
