package import Postgres

/// The SQL of the profiles. Every statement is constant; values travel as parameters only.
package enum ProfileQueries {
    /// What every statement that gives a profile returns, in this order.
    private static let columns: SQL = "number, username, first_name, last_name"

    /// Parameter: the user's id.
    package static let byUser = Statement(
        name: "profiles_by_user", sql: "SELECT \(columns) FROM profiles WHERE user_id = $1::uuid", retryable: true)

    /// Parameter: the number. Returns the user's id.
    package static let userByNumber = Statement(
        name: "profiles_user_by_number", sql: "SELECT user_id::text FROM profiles WHERE number = $1::bigint", retryable: true)

    /// Parameter: the folded username. Returns the user's id.
    package static let userByUsername = Statement(
        name: "profiles_user_by_username", sql: "SELECT user_id::text FROM profiles WHERE username_folded = $1::text",
        retryable: true)

    /// Parameters: the user's id, username, folded username. Returns the profile.
    package static let insert = Statement(
        name: "profiles_insert",
        sql: """
            INSERT INTO profiles (user_id, username, username_folded) VALUES ($1::uuid, $2::text, $3::text)
            RETURNING \(columns)
            """)

    /// A profile under the first of the names that is free. Parameters: the user's id; folded usernames. No row comes back when the
    /// user has a profile, or when somebody has just taken the name.
    package static let insertWithFreeName = Statement(
        name: "profiles_insert_with_free_name",
        sql: """
            INSERT INTO profiles (user_id, username, username_folded)
            SELECT $1::uuid, c, c FROM unnest($2::text[]) WITH ORDINALITY AS candidate (c, n)
            WHERE NOT EXISTS (SELECT FROM profiles WHERE username_folded = c)
            ORDER BY n LIMIT 1
            ON CONFLICT DO NOTHING
            RETURNING \(columns)
            """)

    /// Parameters: the user's id; username, folded username, first and last name, each null to stay. Returns the profile.
    package static let update = Statement(
        name: "profiles_update",
        sql: """
            UPDATE profiles
            SET username = coalesce($2::text, username), username_folded = coalesce($3::text, username_folded),
                first_name = coalesce($4::text, first_name), last_name = coalesce($5::text, last_name)
            WHERE user_id = $1::uuid
            RETURNING \(columns)
            """)
}
