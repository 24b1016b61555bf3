package import Postgres
import Text

/// Reads all users as lines of our own, in the order of their ids, a page at a time.
package struct UserExport: Sendable {
    private static let pageSize = 500

    private let pool: PostgresPool
    private let hasHashes: Bool

    /// - Parameter hasHashes: whether password hashes are told, too.
    package init(pool: PostgresPool, hasHashes: Bool) {
        self.pool = pool
        self.hasHashes = hasHashes
    }

    /// The next page: lines, each with its line feed, and the id to go on after; nil behind the last.
    /// - Throws: the store's failure.
    package func page(after id: UserID?) async throws(IdentityError) -> (lines: String, count: Int, next: UserID?) {
        let parameters: [PostgresValue] = [
            .uuid(id?.description ?? "00000000-0000-0000-0000-000000000000"), .bool(hasHashes), .integer(Self.pageSize),
            .bool(id == nil),
        ]
        return try await mapPostgresErrors { () throws(PostgresError) in
            var lines = ""
            var last: UserID?
            let rows = try await pool.query(Self.statement, parameters)
            for row in rows {
                last = UserID(try row.string(0))
                lines += try row.string(1) + "\n"
            }
            return (lines, rows.count, rows.count < Self.pageSize ? nil : last)
        }
    }

    private static func instant(_ column: SQL) -> SQL {
        "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
    }

    /// Parameters: the id to go on after, whether with hashes, how many, whether from the beginning.
    private static let statement = Statement(
        name: "users_export",
        sql: """
            SELECT u.id::text, json_build_object(
                'id', u.id, 'email', u.email, 'email_verified', u.email_verified, 'email_claimed', u.email_claimed,
                'email_confirmed_at', \(instant("u.email_confirmed_at")),
                'password_hash', CASE WHEN $2::boolean THEN u.password_hash END,
                'display_name', u.display_name, 'photo_url', u.photo_url, 'phone_number', u.phone_number,
                'is_anonymous', u.is_anonymous, 'claims', u.claims, 'roles', u.roles,
                'disabled_at', \(instant("u.disabled_at")), 'created_at', \(instant("u.created_at")),
                'updated_at', \(instant("u.updated_at")), 'last_sign_in_at', \(instant("u.last_sign_in_at")),
                'tokens_valid_after', \(instant("u.tokens_valid_after")),
                'aliases', \(aliases), 'identities', \(identities), 'profile', \(profile),
                'app_settings', (SELECT settings FROM app_settings WHERE user_id = u.id)
            )::text
            FROM users u WHERE u.id > $1::uuid OR $4::boolean
            ORDER BY u.id LIMIT $3::bigint
            """, retryable: true)

    private static let aliases: SQL = """
        (SELECT json_agg(json_build_object('source', source, 'id', id) ORDER BY source) FROM user_aliases WHERE user_id = u.id)
        """

    private static let identities: SQL = """
        (SELECT json_agg(json_build_object(
            'provider', provider, 'subject', subject, 'audience', audience, 'email', email, 'email_verified', email_verified,
            'is_private_email', is_private_email, 'created_at', \(instant("created_at")),
            'last_used_at', \(instant("last_used_at")), 'mail_forwarding', mail_forwarding,
            'mail_forwarding_changed_at', \(instant("mail_forwarding_changed_at")), 'blocked_at', \(instant("blocked_at")),
            'standing_changed_at', \(instant("standing_changed_at")), 'proofs_void_before', \(instant("proofs_void_before"))
            ) ORDER BY created_at, provider, subject)
        FROM identities WHERE user_id = u.id)
        """

    private static let profile: SQL = """
        (SELECT json_build_object(
            'number', number, 'username', username, 'first_name', first_name, 'last_name', last_name)
        FROM profiles WHERE user_id = u.id)
        """
}
