package import Postgres
package import Text

/// What a user has allowed a client to get.
package struct Consent: Equatable, Sendable {
    package let clientID: ClientID
    package let scopes: [String]
    /// When the user last agreed.
    package let grantedAt: Timestamp

    package init(clientID: ClientID, scopes: [String], grantedAt: Timestamp) {
        self.clientID = clientID
        self.scopes = scopes
        self.grantedAt = grantedAt
    }

    /// Whether the user has agreed to all of this.
    package func covers(_ wanted: [String]) -> Bool {
        wanted.allSatisfy { scope in scopes.contains { $0.hasSameBytes(as: scope) } }
    }
}

/// The consents in PostgreSQL, one for each user and client.
package struct Consents: Sendable {
    private let pool: PostgresPool
    private let sessions: Sessions
    private let system: SystemContext

    package init(pool: PostgresPool, sessions: Sessions, system: SystemContext) {
        self.pool = pool
        self.sessions = sessions
        self.system = system
    }

    /// The user agrees to these, besides what they have agreed to before.
    /// - Throws: `IdentityError.invalidClient` when the client is gone; the store's failure.
    package func grant(
        _ scopes: [String], to client: ClientID, by userID: UserID, in session: SessionID?, caller: Caller
    ) async throws(IdentityError) {
        let count = try await mapPostgresErrors { () throws(PostgresError) in
            try await pool.query(
                ConsentQueries.grant,
                [.uuid(userID.description), .text(client.text), .textArray(scopes), .integer(system.now().milliseconds)]
            ).affectedCount
        }
        guard count > 0 else { throw .invalidClient }
        await sessions.note(
            .consentGranted, session, of: userID, client: client, by: .user(userID), caller,
            detail: JSONObject([JSONObject.Member(key: "scope", value: .string(scopes.joined(separator: " ")))]))
    }

    /// - Throws: the store's failure.
    package func consent(of userID: UserID, to client: ClientID) async throws(IdentityError) -> Consent? {
        try await consents(ConsentQueries.one, [.uuid(userID.description), .text(client.text)]).first
    }

    /// What a user has agreed to, the latest first.
    /// - Throws: the store's failure.
    package func list(of userID: UserID) async throws(IdentityError) -> [Consent] {
        try await consents(ConsentQueries.ofUser, [.uuid(userID.description)])
    }

    /// Takes back what the user has agreed to, and ends all that the client got from the user's sessions.
    /// - Throws: `IdentityError.unavailable`: some tokens may be good then, and the call may be repeated.
    package func withdraw(_ client: ClientID, of userID: UserID, in session: SessionID?, caller: Caller)
        async throws(IdentityError)
    {
        // In this order: until all has ended the user can ask again. What has begun meanwhile ends behind it, and who asks for tokens from then
        // on is asked for a consent.
        try await sessions.endGrants(of: client, of: userID, caller: caller)
        let count = try await mapPostgresErrors { () throws(PostgresError) in
            try await pool.query(ConsentQueries.withdraw, [.uuid(userID.description), .text(client.text)]).affectedCount
        }
        if count > 0 {
            await sessions.note(.consentWithdrawn, session, of: userID, client: client, by: .user(userID), caller)
        }
        try await sessions.endGrants(of: client, of: userID, caller: caller)
    }

    private func consents(_ statement: Statement, _ parameters: [PostgresValue]) async throws(IdentityError) -> [Consent] {
        try await mapPostgresErrors { () throws(PostgresError) in
            var found: [Consent] = []
            for row in try await pool.query(statement, parameters) {
                guard let clientID = ClientID(try row.string(0)) else { continue }
                found.append(
                    Consent(
                        clientID: clientID, scopes: try row.strings(1), grantedAt: Timestamp(milliseconds: try row.int64(2))))
            }
            return found
        }
    }
}

/// The SQL of the consents.
package enum ConsentQueries {
    private static let columns: SQL = "client_id, scopes, (extract(epoch FROM granted_at) * 1000)::bigint"

    /// Parameters: user, client, scopes, granted_at. Does nothing where the client or the user is gone.
    package static let grant = Statement(
        name: "consents_grant",
        sql: """
            INSERT INTO consents (user_id, client_id, scopes, granted_at)
            SELECT users.id, clients.id, $3::text[], to_timestamp($4::bigint / 1000.0)
            FROM users, clients WHERE users.id = $1::uuid AND clients.id = $2::text
            ON CONFLICT (user_id, client_id) DO UPDATE SET
                scopes = ARRAY(SELECT DISTINCT unnest(consents.scopes || excluded.scopes)), granted_at = excluded.granted_at
            """)

    /// Parameters: user, client.
    package static let one = Statement(
        name: "consents_one", sql: "SELECT \(columns) FROM consents WHERE user_id = $1::uuid AND client_id = $2::text",
        retryable: true)

    /// Parameter: user.
    package static let ofUser = Statement(
        name: "consents_of_user",
        sql: "SELECT \(columns) FROM consents WHERE user_id = $1::uuid ORDER BY granted_at DESC, client_id",
        retryable: true)

    /// Parameter: client. Of all its users.
    package static let withdrawAll = Statement(
        name: "consents_withdraw_all", sql: "DELETE FROM consents WHERE client_id = $1::text")

    /// Parameters: user, client.
    package static let withdraw = Statement(
        name: "consents_withdraw", sql: "DELETE FROM consents WHERE user_id = $1::uuid AND client_id = $2::text", retryable: true)
}
