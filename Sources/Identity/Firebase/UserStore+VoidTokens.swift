import Postgres
import Text

extension UserStore {
    private static let voidTokens = Statement(
        name: "users_void_tokens",
        sql: """
            UPDATE users
            SET tokens_valid_after = greatest(tokens_valid_after, date_trunc('second', to_timestamp($2::bigint / 1000.0)))
            WHERE id = $1::uuid
            """)

    /// Has tokens from before an instant refused by whoever compares their times with it, where a user ends all sessions and nothing that opens
    /// the account changes (else `HeldUser` does).
    /// - Throws: the store's failure.
    func voidTokens(of id: UserID, before instant: Timestamp) async throws(IdentityError) {
        _ = try await mapPostgresErrors { () throws(PostgresError) in
            try await pool.query(Self.voidTokens, [.uuid(id.description), .integer(instant.milliseconds)])
        }
    }
}
