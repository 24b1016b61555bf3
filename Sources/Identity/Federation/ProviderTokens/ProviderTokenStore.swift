import Crypto
package import Postgres
import Text

/// Providers' tokens in PostgreSQL, sealed, and the queue of those that are to be revoked.
package struct ProviderTokenStore: Sendable {
    /// A revocation that this copy has taken on, until its lease ends.
    struct Claim: Sendable {
        let id: String
        let grant: ProviderGrant
        let token: SealedProviderToken
        /// With this one, from 1.
        let attempts: Int
    }

    /// How much of the queue is left.
    struct Counts: Equatable, Sendable {
        let waiting: Int
        let givenUp: Int
    }

    private let pool: PostgresPool
    private let masterKey: MasterKey

    package init(pool: PostgresPool, masterKey: MasterKey) {
        self.pool = pool
        self.masterKey = masterKey
    }

    /// Stores a token in the place of an older one of the same grant.
    /// - Returns: false when its identity is gone by now: the token will be revoked.
    /// - Throws: the store's failure.
    func keep(_ token: SecretString, of grant: ProviderGrant, at time: StatementTime) async throws(IdentityError) -> Bool {
        let sealed: SealedProviderToken
        do throws(CryptoError) {
            sealed = try SealedProviderToken(sealing: token, of: grant, with: masterKey)
        } catch {
            throw .fault()
        }
        let parameters: [PostgresValue] = [
            time.parameter, .text(grant.provider.text), .text(grant.subject), .text(grant.clientID), .bytes(sealed.sealed),
        ]
        return try await asking { () throws(PostgresError) in
            try await pool.query(ProviderTokenQueries.keep, parameters).first?.bool(0) ?? false
        }
    }

    /// Forgets the tokens of a subject, which the provider has made worthless itself.
    /// - Throws: the store's failure.
    func forget(_ provider: ProviderID, _ subject: String) async throws(IdentityError) {
        _ = try await asking { () throws(PostgresError) in
            try await pool.query(ProviderTokenQueries.forget, [.text(provider.text), .text(subject)])
        }
    }

    /// Takes on what is due at some of the providers.
    func claim(
        _ limit: Int, of providers: [ProviderID], at time: StatementTime, for lease: Duration
    ) async throws(PostgresError) -> [Claim] {
        let parameters: [PostgresValue] = [
            time.parameter, .duration(lease), .integer(limit), .textArray(providers.map(\.text)),
        ]
        var claims: [Claim] = []
        for row in try await pool.query(RevocationQueries.claim, parameters) {
            guard let provider = ProviderID(try row.string(1)) else { continue }
            claims.append(
                Claim(
                    id: try row.string(0),
                    grant: ProviderGrant(provider: provider, subject: try row.string(2), clientID: try row.string(3)),
                    token: SealedProviderToken(sealed: try row.bytes(4)), attempts: Int(try row.int64(5))))
        }
        return claims
    }

    /// What a claim's token is, or nil if it does not open: with another master key, or when it was damaged.
    func token(of claim: Claim) -> SecretString? {
        try? claim.token.open(claim.grant, with: masterKey)
    }

    func finish(_ claim: Claim) async throws(PostgresError) {
        _ = try await pool.query(RevocationQueries.finish, [.uuid(claim.id)])
    }

    func postpone(
        _ claim: Claim, at time: StatementTime, by pause: Duration, because failure: String
    ) async throws(PostgresError) {
        let parameters: [PostgresValue] = [
            time.parameter, .uuid(claim.id), .integer(claim.attempts), .duration(pause), .text(failure),
        ]
        _ = try await pool.query(RevocationQueries.postpone, parameters)
    }

    func giveUp(_ claim: Claim, at time: StatementTime, because failure: String) async throws(PostgresError) {
        let parameters: [PostgresValue] = [
            time.parameter, .uuid(claim.id), .integer(claim.attempts), .text(failure),
        ]
        _ = try await pool.query(RevocationQueries.giveUp, parameters)
    }

    /// Deletes what was given up at least so long ago.
    func deleteGivenUp(at time: StatementTime, after age: Duration) async throws(PostgresError) {
        _ = try await pool.query(RevocationQueries.deleteGivenUp, [time.parameter, .duration(age)])
    }

    func counts() async throws(PostgresError) -> Counts {
        guard let row = try await pool.query(RevocationQueries.counts).first else { throw .unexpectedColumn(0) }
        return Counts(waiting: Int(try row.int64(0)), givenUp: Int(try row.int64(1)))
    }
}
