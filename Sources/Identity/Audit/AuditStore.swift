package import Postgres
package import Text

/// Which events are asked for. Everything that is nil is left open.
package struct AuditFilter: Equatable, Sendable {
    package var userID: UserID?
    /// The name of a kind.
    package var kind: String?
    /// The id of a request.
    package var referenceID: String?
    /// Who was at the command line.
    package var operatorName: String?
    /// The first instant that counts.
    package var since: Timestamp?
    /// The first instant that does not count any more.
    package var until: Timestamp?

    package init() {}
}

/// An event as it was stored.
package struct RecordedAuditEvent: Sendable {
    package let id: UUID
    package let time: Timestamp
    package let kind: String
    package let outcome: String
    package let reason: String?
    package let actor: String
    package let userID: String?
    package let clientID: String?
    package let sessionID: String?
    package let address: String?
    package let referenceID: String?
    package let detail: JSONValue
}

/// Reads the audit events in PostgreSQL, page by page. A page begins where the one before has ended, so that what is written
/// meanwhile shifts nothing.
package struct AuditStore: Sendable {
    private static let lowest = "00000000-0000-0000-0000-000000000000"
    private static let highest = "ffffffff-ffff-ffff-ffff-ffffffffffff"

    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The newest events first.
    /// - Parameters:
    ///   - before: the last event of the page before.
    ///   - count: how many at most.
    /// - Throws: the store's failure.
    package func page(
        _ filter: AuditFilter, before: UUID? = nil, count: Int
    ) async throws(ServiceFailure) -> [RecordedAuditEvent] {
        // The ids are of version 7: they begin with the time.
        let since = filter.since.map { UUID(version7At: $0, random: []).description } ?? Self.lowest
        let until = filter.until.map { UUID(version7At: $0, random: []).description } ?? Self.highest
        let end = before.map { min($0.description, until) } ?? until
        let range: [PostgresValue] = [.uuid(since), .uuid(end), .integer(count)]
        return try await askPostgres { () throws(PostgresError) in
            var events: [RecordedAuditEvent] = []
            for row in try await rows(filter, range) { events.append(try Self.event(row)) }
            return events
        }
    }

    private func rows(_ filter: AuditFilter, _ range: [PostgresValue]) async throws(PostgresError) -> Rows {
        let (user, kind) = (PostgresValue.text(orNull: filter.userID?.description), PostgresValue.text(orNull: filter.kind))
        if let reference = filter.referenceID {
            let others = [.text(reference), user, kind, .text(orNull: filter.operatorName)]
            return try await pool.query(AuditQueries.pageOfReference, range + others)
        }
        if let name = filter.operatorName {
            return try await pool.query(AuditQueries.pageOfOperator, range + [.text(name), user, kind])
        }
        return switch (filter.userID, filter.kind) {
        case (nil, nil): try await pool.query(AuditQueries.page, range)
        case (let user?, nil): try await pool.query(AuditQueries.pageOfUser, range + [.uuid(user.description)])
        case (nil, let kind?): try await pool.query(AuditQueries.pageOfKind, range + [.text(kind)])
        case (let user?, let kind?):
            try await pool.query(AuditQueries.pageOfUserAndKind, range + [.uuid(user.description), .text(kind)])
        }
    }

    private static func event(_ row: Row) throws(PostgresError) -> RecordedAuditEvent {
        guard let id = UUID(try row.string(0)) else { throw .unexpectedColumn(0) }
        guard let detail = try? JSON.parse(try row.string(11)) else { throw .unexpectedColumn(11) }
        return RecordedAuditEvent(
            id: id, time: Timestamp(milliseconds: try row.int64(1)), kind: try row.string(2), outcome: try row.string(3),
            reason: try row.optionalString(4), actor: try row.string(5), userID: try row.optionalString(6),
            clientID: try row.optionalString(7), sessionID: try row.optionalString(8), address: try row.optionalString(9),
            referenceID: try row.optionalString(10), detail: detail)
    }
}
