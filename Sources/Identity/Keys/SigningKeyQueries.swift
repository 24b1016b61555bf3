package import Postgres

/// The SQL of the signing keys. Instants are milliseconds since the epoch; the first parameter is a `StatementTime`'s where a statement asks
/// for the time.
package enum SigningKeyQueries {
    /// All keys, oldest first: kid, alg, sealed_private_key, public_jwk as JSON text, state, created_at, activated_at, retired_at, the time.
    /// Parameter: time.
    package static let all = Statement(
        name: "signing_keys_all",
        sql: """
            SELECT kid, alg, sealed_private_key, public_jwk::text, state, (extract(epoch FROM created_at) * 1000)::bigint,
                (extract(epoch FROM activated_at) * 1000)::bigint, (extract(epoch FROM retired_at) * 1000)::bigint,
                (extract(epoch FROM \(SQL.now)) * 1000)::bigint
            FROM signing_keys
            ORDER BY created_at, kid
            """, retryable: true)

    /// Locks the keys of an algorithm against every other change. Parameter: alg. Returns kid and state, oldest first.
    package static let lock = Statement(
        name: "signing_keys_lock",
        sql: "SELECT kid, state FROM signing_keys WHERE alg = $1::text ORDER BY created_at, kid FOR UPDATE")

    /// The first key of an algorithm. When several copies of the service start at once, one of them succeeds; the others insert nothing
    /// and read `all` again. Parameters: time, kid, alg, sealed_private_key, public_jwk. Returns the kid if inserted.
    package static let insertActive = Statement(
        name: "signing_keys_insert_active",
        sql: """
            INSERT INTO signing_keys (kid, alg, sealed_private_key, public_jwk, state, created_at, activated_at)
            VALUES (
                $2::text, $3::text, $4::bytea, $5::jsonb, 'active', \(SQL.now), \(SQL.now)
            )
            ON CONFLICT DO NOTHING
            RETURNING kid
            """)

    /// A key that will sign later. Parameters as for `insertActive`. Returns created_at.
    package static let insertNext = Statement(
        name: "signing_keys_insert_next",
        sql: """
            INSERT INTO signing_keys (kid, alg, sealed_private_key, public_jwk, state, created_at)
            VALUES ($2::text, $3::text, $4::bytea, $5::jsonb, 'next', \(SQL.now))
            RETURNING (extract(epoch FROM created_at) * 1000)::bigint
            """)

    /// First half of a change of keys, in one transaction with `activate`. Parameters: time, alg.
    package static let retireActive = Statement(
        name: "signing_keys_retire_active",
        sql: """
            UPDATE signing_keys
            SET state = 'retired', retired_at = \(SQL.now)
            WHERE alg = $2::text AND state = 'active'
            """)

    /// Parameters: time, kid. Returns the kid if the key was `next`.
    package static let activate = Statement(
        name: "signing_keys_activate",
        sql: """
            UPDATE signing_keys
            SET state = 'active', activated_at = \(SQL.now)
            WHERE kid = $2::text AND state = 'next'
            RETURNING kid
            """)

    /// Takes a key out of the key set, in whatever state it is. Parameter: kid. Returns the kid if it was there.
    package static let delete = Statement(
        name: "signing_keys_delete", sql: "DELETE FROM signing_keys WHERE kid = $1::text RETURNING kid")

    /// The same only if it is `retired`.
    package static let deleteRetired = Statement(
        name: "signing_keys_delete_retired",
        sql: "DELETE FROM signing_keys WHERE kid = $1::text AND state = 'retired' RETURNING kid")
}
