package import Crypto
import Postgres

/// What hashes users have brought along: of each kind the dearest that any user has.
package struct ImportedHashes: Equatable, Sendable {
    package let highest: [HashWork: Int]

    package init(_ highest: [HashWork: Int] = [:]) {
        self.highest = highest
    }
}

/// Password hashes that users have brought along from elsewhere.
extension UserStore {
    /// The condition and the order are those of the index `users_by_imported_hash`, of which one entry a kind is read. Parameters: kinds of
    /// hashes, and the most that each may cost.
    private static let highestCosts = Statement(
        name: "users_imported_hash_costs",
        sql: """
            SELECT kind, (
                SELECT max(password_hash_cost(password_hash)) FROM users
                WHERE password_hash NOT LIKE '$argon2id$%' AND password_hash_kind(password_hash) = kind
                    AND password_hash_cost(password_hash) <= most
            )
            FROM unnest($1::text[], $2::text[]::bigint[]) AS kinds (kind, most)
            """, retryable: true)

    /// The dearest of each kind that any user has and that can be checked.
    /// - Throws: the store's failure.
    package func importedHashes(within limits: ForeignHash.Limits) async throws(IdentityError) -> ImportedHashes {
        let kinds = HashWork.allCases
        let parameters: [PostgresValue] = [
            .textArray(kinds.map(\.rawValue)), .textArray(kinds.map { String($0.highest(limits)) }),
        ]
        return try await mapPostgresErrors { () throws(PostgresError) in
            var highest: [HashWork: Int] = [:]
            for row in try await pool.query(Self.highestCosts, parameters) {
                guard let cost = try row.optionalInt64(1), let kind = HashWork(rawValue: try row.string(0)) else { continue }
                highest[kind] = Int(cost)
            }
            return ImportedHashes(highest)
        }
    }
}
