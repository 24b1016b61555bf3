import Crypto
package import Postgres
import Text

/// Providers' tokens in PostgreSQL, sealed. Those whose identity is gone are jobs, which `ProviderRevocations` carries out.
package struct ProviderTokenStore: Sendable {
    private let pool: PostgresPool
    private let masterKey: MasterKey

    package init(pool: PostgresPool, masterKey: MasterKey) {
        self.pool = pool
        self.masterKey = masterKey
    }

    /// Stores a token in the place of an older one of the same owner.
    /// - Returns: false when its identity is gone by now: the token will be revoked.
    func keep(_ token: SecretString, of owner: ProviderTokenOwner, at time: StatementTime) async throws(ServiceFailure) -> Bool {
        let sealed: SealedProviderToken
        do throws(CryptoError) {
            sealed = try SealedProviderToken(sealing: token, of: owner, with: masterKey)
        } catch {
            throw .fault()
        }
        let parameters: [PostgresValue] = [
            time.parameter, .text(owner.provider.text), .text(owner.subject), .text(owner.clientID), .bytes(sealed.sealed),
        ]
        return try await askPostgres { () throws(PostgresError) in
            try await pool.query(ProviderTokenQueries.keep, parameters).first?.bool(0) ?? false
        }
    }

    /// Forgets the tokens of a subject, which the provider has made worthless itself.
    func forget(_ provider: ProviderID, _ subject: String) async throws(ServiceFailure) {
        _ = try await askPostgres { () throws(PostgresError) in
            try await pool.query(ProviderTokenQueries.forget, [.text(provider.text), .text(subject)])
        }
    }
}

/// The SQL of providers' tokens. That of an identity that is deleted is queued for revocation by a trigger (migration
/// `jobs`).
enum ProviderTokenQueries {
    /// Stores a token in the place of an older one. If the identity is gone by now, the token is queued for revocation instead.
    /// Parameters: time, provider, subject, client_id, sealed_token. Returns whether it was stored.
    static let keep = Statement(
        name: "provider_tokens_keep",
        sql: """
            WITH owner AS (
                SELECT 1 FROM identities WHERE provider = $2::text AND subject = $3::text FOR KEY SHARE
            ), kept AS (
                INSERT INTO provider_tokens (provider, subject, client_id, sealed_token, obtained_at)
                SELECT $2::text, $3::text, $4::text, $5::bytea, \(SQL.now) FROM owner
                ON CONFLICT (provider, subject, client_id)
                    DO UPDATE SET sealed_token = excluded.sealed_token, obtained_at = excluded.obtained_at
                RETURNING 1
            ), orphaned AS (
                INSERT INTO jobs (kind, topic, payload, sealed, created_at)
                SELECT 'provider_revocation', $2::text, jsonb_build_object('subject', $3::text, 'client_id', $4::text), $5::bytea,
                    \(SQL.now)
                WHERE NOT EXISTS (SELECT 1 FROM owner)
            )
            SELECT EXISTS (SELECT 1 FROM kept)
            """)

    /// Forgets tokens that the provider has made worthless itself; nothing is queued. Parameters: provider, subject.
    static let forget = Statement(
        name: "provider_tokens_forget", sql: "DELETE FROM provider_tokens WHERE provider = $1::text AND subject = $2::text")
}
