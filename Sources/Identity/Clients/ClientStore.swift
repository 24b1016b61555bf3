package import Crypto
package import Postgres
package import Text

/// The clients in PostgreSQL.
package struct ClientStore: Sendable {
    /// What came of a change that was asked for.
    package enum Update<Refusal: Error>: Sendable {
        case done(before: Client, after: Client)
        case refused(Refusal)
        case unknown
    }

    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// - Throws: `PostgresError`; a unique violation when the id is taken.
    package func insert(
        _ client: Client, at now: Timestamp, in transaction: Transaction? = nil
    ) async throws(PostgresError) {
        _ = try await query(ClientQueries.insert, Self.parameters(client, now), transaction)
    }

    /// - Throws: `PostgresError`.
    package func records() async throws(PostgresError) -> [ClientRecord] {
        var records: [ClientRecord] = []
        for row in try await pool.query(ClientQueries.all) { records.append(try ClientRecord(row)) }
        return records
    }

    /// Those that are disabled as well.
    /// - Throws: `PostgresError`.
    package func all() async throws(PostgresError) -> [Client] {
        try await records().map(\.client)
    }

    /// - Throws: `PostgresError`.
    package func record(_ id: ClientID) async throws(PostgresError) -> ClientRecord? {
        guard let row = try await pool.query(ClientQueries.byID, [.text(id.text)]).first else { return nil }
        return try ClientRecord(row)
    }

    /// - Throws: `PostgresError`.
    package func client(_ id: ClientID) async throws(PostgresError) -> Client? {
        try await record(id)?.client
    }

    /// Makes of a client what `change` makes of it. Two who change one client at once come one after the other.
    /// - Throws: `PostgresError`.
    package func update<Refusal: Error>(
        _ id: ClientID, at now: Timestamp, _ change: (Client) -> Result<Client, Refusal>
    ) async throws(PostgresError) -> Update<Refusal> {
        try await pool.transaction { transaction throws(PostgresError) in
            try await update(id, at: now, in: transaction, change)
        }
    }

    func update<Refusal: Error>(
        _ id: ClientID, at now: Timestamp, in transaction: Transaction, _ change: (Client) -> Result<Client, Refusal>
    ) async throws(PostgresError) -> Update<Refusal> {
        guard let before = try await hold(id, in: transaction) else { return .unknown }
        switch change(before) {
        case .failure(let refusal): return .refused(refusal)
        case .success(let after):
            _ = try await transaction.query(ClientQueries.update, Self.parameters(after, now))
            return .done(before: before, after: after)
        }
    }

    /// A client that nobody else changes until the transaction ends.
    func hold(_ id: ClientID, in transaction: Transaction) async throws(PostgresError) -> Client? {
        guard let row = try await transaction.query(ClientQueries.hold, [.text(id.text)]).first else { return nil }
        return try ClientRecord(row).client
    }

    /// Gives a client another secret. The one that it had stays good for the overlap; the one before that is refused from now on.
    /// False when there is no such client, or it has no secret.
    /// - Throws: `PostgresError`.
    package func replaceSecret(
        of id: ClientID, with digest: Digest, overlap: Duration, at now: Timestamp, in transaction: Transaction? = nil
    ) async throws(PostgresError) -> Bool {
        let parameters: [PostgresValue] = [
            .text(id.text), .bytes(digest.bytes), .integer(now.milliseconds), .integer(overlap.wholeMilliseconds),
        ]
        return try await !query(ClientQueries.replaceSecret, parameters, transaction).isEmpty
    }

    /// Has the secret before the present one refused from now on. False when there is none that is still good.
    /// - Throws: `PostgresError`.
    package func endPreviousSecret(
        of id: ClientID, at now: Timestamp, in transaction: Transaction? = nil
    ) async throws(PostgresError) -> Bool {
        let parameters: [PostgresValue] = [.text(id.text), .integer(now.milliseconds)]
        return try await !query(ClientQueries.endPreviousSecret, parameters, transaction).isEmpty
    }

    /// Puts on record that the secret before the present one has proved a client.
    /// - Throws: `PostgresError`.
    func noteUses(_ count: Int, of secret: PreviousSecret, by id: ClientID) async throws(PostgresError) {
        _ = try await pool.query(
            ClientQueries.notePreviousSecret, [.text(id.text), .bytes(secret.digest.bytes), .integer(count)])
    }

    /// False when there is no such client.
    /// - Throws: `PostgresError`.
    package func delete(_ id: ClientID, in transaction: Transaction? = nil) async throws(PostgresError) -> Bool {
        try await !query(ClientQueries.delete, [.text(id.text)], transaction).isEmpty
    }

    private func query(
        _ statement: Statement, _ parameters: [PostgresValue], _ transaction: Transaction?
    ) async throws(PostgresError) -> Rows {
        if let transaction {
            try await transaction.query(statement, parameters)
        } else {
            try await pool.query(statement, parameters)
        }
    }

    /// Those of `insert` and `update`.
    private static func parameters(_ client: Client, _ now: Timestamp) -> [PostgresValue] {
        [
            .json(String(decoding: JSONValue.object(client.columns).serialized, as: UTF8.self)),
            client.secretDigest.map { .bytes($0.bytes) } ?? .null,
            client.registrationTokenDigest.map { .bytes($0.bytes) } ?? .null, .integer(now.milliseconds),
        ]
    }
}
