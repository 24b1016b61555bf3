import Crypto
package import Postgres
import Text

/// What providers told us of identities, in PostgreSQL, and which of their notices have been dealt with.
package struct NoticeStore: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Whether a notice has been dealt with.
    func isKnown(_ digest: Digest) async throws(ServiceFailure) -> Bool {
        try await ask(NoticeQueries.isKnown, [.bytes(digest.bytes)]) { row throws(PostgresError) in try row.bool(0) } ?? false
    }

    func remember(_ digest: Digest, at time: StatementTime) async throws(ServiceFailure) {
        try await run(NoticeQueries.remember, [time.parameter, .bytes(digest.bytes)])
    }

    /// Forgets notices of at least so long ago.
    func forget(at time: StatementTime, after age: Duration) async throws(PostgresError) {
        _ = try await pool.query(NoticeQueries.forget, [time.parameter, .duration(age)])
    }

    /// Whose the identity is; nil when it is nobody's.
    func user(_ provider: ProviderID, _ subject: String) async throws(ServiceFailure) -> UserID? {
        try await ask(NoticeQueries.user, Self.key(provider, subject)) { row throws(PostgresError) in
            UserID(try row.string(0))
        } ?? nil
    }

    /// - Parameter change: when that changed, as the provider says it; nil for now.
    func setMailForwarding(
        _ provider: ProviderID, _ subject: String, isOn: Bool, since change: Timestamp?, at time: StatementTime
    ) async throws(ServiceFailure) {
        let values: [PostgresValue] = [.bool(isOn), Self.instant(change)]
        try await run(NoticeQueries.setMailForwarding, [time.parameter] + Self.key(provider, subject) + values)
    }

    /// Unless the provider has blocked it since, or at the same moment.
    func unblock(
        _ provider: ProviderID, _ subject: String, since change: Timestamp, at time: StatementTime
    ) async throws(ServiceFailure) {
        try await run(
            NoticeQueries.unblock, [time.parameter] + Self.key(provider, subject) + [Self.instant(change)])
    }

    private static func instant(_ time: Timestamp?) -> PostgresValue {
        time.map { .integer($0.milliseconds) } ?? .null
    }

    private func run(_ statement: Statement, _ parameters: [PostgresValue]) async throws(ServiceFailure) {
        _ = try await askPostgres { () throws(PostgresError) in try await pool.query(statement, parameters) }
    }

    /// What `read` makes of the first row, or nil when there is none.
    private func ask<T>(
        _ statement: Statement, _ parameters: [PostgresValue], _ read: (Row) throws(PostgresError) -> T
    ) async throws(ServiceFailure) -> T? {
        try await askPostgres { () throws(PostgresError) in try await pool.query(statement, parameters).first.map(read) }
    }

    private static func key(_ provider: ProviderID, _ subject: String) -> [PostgresValue] {
        [.text(provider.text), .text(subject)]
    }
}

extension JobChore {
    /// Forgets notices of providers after a year.
    package static let forgetNotices = JobChore(every: .seconds(3600)) { pool, time throws(PostgresError) in
        try await NoticeStore(pool: pool).forget(at: time, after: .seconds(365 * 86_400))
    }
}
