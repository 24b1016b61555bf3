import JOSE
package import Postgres
import Text

/// The last good key set of each provider, in PostgreSQL: a process that starts while a key server is away has keys.
package struct KeySetStore: Sendable {
    struct Remembered: Sendable {
        let keys: JWKSet
        /// Since it was fetched, by PostgreSQL's clock.
        let age: Duration
        /// How long its server said that it is good.
        let lifetime: Duration
    }

    private let pool: PostgresPool
    private let usualLifetime: Duration

    package init(pool: PostgresPool, policy: KeySetPolicy) {
        self.pool = pool
        usualLifetime = policy.usualLifetime
    }

    /// Puts a set that has just been fetched in the place of the last one. If that fails the next one is kept.
    func save(_ fetched: FetchedKeySet, of provider: ProviderID, from url: String) async {
        let parameters: [PostgresValue] = [
            .text(provider.text), .text(url), .bytes(fetched.keys.rendered), .duration(fetched.freshness ?? usualLifetime),
        ]
        _ = try? await pool.query(KeySetQueries.save, parameters)
    }

    /// The set that was last fetched from there; nil if there is none, or it cannot be had now.
    func keys(of provider: ProviderID, from url: String) async -> Remembered? {
        let parameters: [PostgresValue] = [.text(provider.text), .text(url)]
        do throws(PostgresError) {
            return try await pool.query(KeySetQueries.find, parameters).first.flatMap { row throws(PostgresError) in
                guard let keys = try? JWKSet.parse(try row.bytes(0)), !keys.keys.isEmpty else { return nil }
                return Remembered(
                    keys: keys, age: .milliseconds(try row.int64(1)), lifetime: .milliseconds(try row.int64(2)))
            }
        } catch {
            return nil
        }
    }
}

/// The SQL of key sets. Their age is told by PostgreSQL's clock alone.
enum KeySetQueries {
    /// Parameters: provider, url, the set, its lifetime in milliseconds.
    static let save = Statement(
        name: "provider_key_sets_save",
        sql: """
            INSERT INTO provider_key_sets (provider, url, keys, lifetime, fetched_at)
            VALUES ($1::text, $2::text, $3::bytea, $4::bigint * interval '1 millisecond', statement_timestamp())
            ON CONFLICT (provider) DO UPDATE
            SET url = excluded.url, keys = excluded.keys, lifetime = excluded.lifetime, fetched_at = excluded.fetched_at
            """)

    /// Parameters: provider, url. Returns the set, its age and its lifetime in milliseconds.
    static let find = Statement(
        name: "provider_key_sets_find",
        sql: """
            SELECT keys, floor(extract(epoch FROM statement_timestamp() - fetched_at) * 1000)::bigint,
                floor(extract(epoch FROM lifetime) * 1000)::bigint
            FROM provider_key_sets WHERE provider = $1::text AND url = $2::text
            """, retryable: true)
}
