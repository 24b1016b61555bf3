import Logging
import Postgres

/// Gives up the mails that are of no use any more, forgets those that are over, and counts what waits.
struct MailUpkeep: Sendable {
    static let period: Duration = .seconds(60)

    let queue: MailQueue
    let retention: Duration
    let metrics: IdentityMetrics
    let system: SystemContext
    let logger: Logger

    func sweep() async throws(PostgresError) {
        var expired: Int64 = 0
        for (name, count) in try await queue.expire(at: system.statementTime) {
            expired += count
            guard let kind = Mail.Kind(rawValue: name) else { continue }
            metrics.countMails { $0.count(.expired, of: kind, UInt64(count)) }
        }
        if expired > 0 { logger.warning("mails were not sent in time", ["count": .integer(Int(expired))]) }
        try await queue.remove(at: system.statementTime, after: retention)
        try await queue.removeChanges(at: system.statementTime)
    }

    func count() async throws(PostgresError) {
        let counts = try await queue.counts(at: system.statementTime)
        metrics.countMails { counters in
            counters.waiting = counts.waiting
            counters.oldestAge = counts.oldestAge
        }
    }
}
