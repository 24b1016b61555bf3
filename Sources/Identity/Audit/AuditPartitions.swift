package import Postgres
package import Text

/// A part of the audit events in PostgreSQL: those of a month, those from before there were months, or those that fit nowhere else.
package struct AuditPartition: Sendable {
    package let name: String
    /// The first instant that counts, and the first that does not any more. Nil where there is no bound.
    package let from: Timestamp?
    package let until: Timestamp?
    /// As PostgreSQL's statistics have it.
    package let events: Int
    /// With indexes.
    package let bytes: Int
}

/// The partitions of the audit events.
package struct AuditPartitions: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Makes those that are missing of this month and some after it.
    /// - Returns: how many.
    package func make(ahead: Int, at time: StatementTime) async throws(PostgresError) -> Int {
        guard let row = try await pool.query(AuditQueries.makePartitions, [time.parameter, .integer(ahead)]).first else {
            return 0
        }
        return Int(try row.int64(0))
    }

    /// Drops those whose events are all older, and deletes older events where they are not by the month.
    package func expire(
        after retention: Duration, atMost count: Int, at time: StatementTime
    ) async throws(PostgresError) -> (dropped: Int, deleted: Int) {
        let parameters: [PostgresValue] = [time.parameter, .duration(retention), .integer(count)]
        guard let row = try await pool.query(AuditQueries.expirePartitions, parameters).first else { return (0, 0) }
        return (Int(try row.int64(0)), Int(try row.int64(1)))
    }

    /// The oldest first.
    /// - Throws: the store's failure.
    package func all() async throws(IdentityError) -> [AuditPartition] {
        try await mapPostgresErrors { () throws(PostgresError) in
            var partitions: [AuditPartition] = []
            for row in try await pool.query(AuditQueries.partitions) {
                partitions.append(
                    AuditPartition(
                        name: try row.string(0), from: try row.optionalString(1).flatMap(Self.instant),
                        until: try row.optionalString(2).flatMap(Self.instant), events: Int(try row.int64(3)),
                        bytes: Int(try row.int64(4))))
            }
            return partitions
        }
    }

    /// The instant that an id of version 7 begins with.
    private static func instant(_ id: String) -> Timestamp? {
        Int64(id.replacing("-", with: "").prefix(12), radix: 16).map { Timestamp(milliseconds: $0) }
    }
}
