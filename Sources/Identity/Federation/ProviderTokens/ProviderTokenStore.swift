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

    /// Stores a token in the place of an older one of the same grant.
    /// - Returns: false when its identity is gone by now: the token will be revoked.
    func keep(_ token: SecretString, of grant: ProviderGrant, at time: StatementTime) async throws(ServiceFailure) -> Bool {
        let sealed: SealedProviderToken
        do throws(CryptoError) {
            sealed = try SealedProviderToken(sealing: token, of: grant, with: masterKey)
        } catch {
            throw .fault()
        }
        let parameters: [PostgresValue] = [
            time.parameter, .text(grant.provider.text), .text(grant.subject), .text(grant.clientID), .bytes(sealed.sealed),
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
