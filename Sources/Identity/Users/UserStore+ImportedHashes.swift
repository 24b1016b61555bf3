import Postgres

/// Password hashes that users have brought along from elsewhere.
extension UserStore {
    /// The condition is that of the index `users_by_imported_hash`, of which one entry is read.
    private static let highestCost = Statement(
        name: "users_imported_hash_cost",
        sql: #"""
            SELECT max(substr(password_hash, 5, 2))::bigint FROM users
            WHERE password_hash ~ '^\$2[aby]\$(0[4-9]|1[0-4])\$'
            """#, retryable: true)

    /// The highest cost of any user's bcrypt hash that can be checked; nil when there is none.
    /// - Throws: the store's failure.
    func importedHashCost() async throws(IdentityError) -> Int? {
        let cost = try await mapPostgresErrors { () throws(PostgresError) in
            guard let row = try await pool.query(Self.highestCost, []).first else { return Int64?.none }
            return try row.optionalInt64(0)
        }
        return cost.map { Int($0) }
    }
}
