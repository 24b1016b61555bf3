package import Crypto
package import Postgres
package import Text

/// The clients in PostgreSQL.
package struct ClientStore: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// - Throws: `PostgresError`; a unique violation when the id is taken.
    package func insert(_ client: Client, at now: Timestamp) async throws(PostgresError) {
        let digest: PostgresValue =
            switch client.authentication {
            case .publicClient: .null
            case .secret(let digest): .bytes(digest.bytes)
            }
        _ = try await pool.query(
            ClientQueries.insert,
            [
                .text(client.id.text), .text(client.name), digest,
                .json(Self.rendered(client.permissions.map(\.rawValue).sorted())), .json(Self.rendered(client.audiences)),
                .text(client.accessTokenFormat.rawValue), .integer(client.accessTokenLifetime.components.seconds),
                .integer(client.sessionLifetime.idle.components.seconds),
                .integer(client.sessionLifetime.absolute.components.seconds), .integer(now.milliseconds),
                .json(Self.rendered(client.scopes)), .bool(client.rotatesRefreshTokens),
            ])
    }

    /// - Throws: `PostgresError`.
    package func all() async throws(PostgresError) -> [Client] {
        var clients: [Client] = []
        for row in try await pool.query(ClientQueries.all) { clients.append(try Self.client(row)) }
        return clients
    }

    /// - Throws: `PostgresError`.
    package func client(_ id: ClientID) async throws(PostgresError) -> Client? {
        guard let row = try await pool.query(ClientQueries.byID, [.text(id.text)]).first else { return nil }
        return try Self.client(row)
    }

    /// Gives a client another secret. The one that it had stays good for the overlap; the one before that is refused from now on.
    /// False when there is no such client.
    /// - Throws: `PostgresError`.
    package func replaceSecret(
        of id: ClientID, with digest: Digest, overlap: Duration, at now: Timestamp
    ) async throws(PostgresError) -> Bool {
        let parameters: [PostgresValue] = [
            .text(id.text), .bytes(digest.bytes), .integer(now.milliseconds), .integer(overlap.wholeMilliseconds),
        ]
        return try await !pool.query(ClientQueries.replaceSecret, parameters).isEmpty
    }

    /// Puts on record that the secret before the present one has proved a client.
    /// - Throws: `PostgresError`.
    func noteUses(_ count: Int, of secret: PreviousSecret, by id: ClientID) async throws(PostgresError) {
        _ = try await pool.query(
            ClientQueries.notePreviousSecret, [.text(id.text), .bytes(secret.digest.bytes), .integer(count)])
    }

    /// False when there is no such client.
    /// - Throws: `PostgresError`.
    package func delete(_ id: ClientID) async throws(PostgresError) -> Bool {
        try await !pool.query(ClientQueries.delete, [.text(id.text)]).isEmpty
    }

    private static func rendered(_ texts: [String]) -> String {
        var writer = JSONWriter()
        writer.value(.array(texts.map { .string($0) }))
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// A record that nobody but us writes: one that cannot be read is damage, reported by the column.
    private static func client(_ row: Row) throws(PostgresError) -> Client {
        guard let id = ClientID(try row.string(0)) else { throw .unexpectedColumn(0) }
        guard let format = AccessTokenFormat(rawValue: try row.string(5)) else { throw .unexpectedColumn(5) }
        return Client(
            id: id, name: try row.string(1), authentication: try authentication(row, 2),
            previousSecret: try previousSecret(row),
            permissions: Set(try texts(row, 3).compactMap { Client.Permission(rawValue: $0) }), audiences: try texts(row, 4),
            accessTokenFormat: format, accessTokenLifetime: .seconds(try row.int64(6)),
            sessionLifetime: SessionLifetime(idle: .seconds(try row.int64(7)), absolute: .seconds(try row.int64(8))),
            scopes: try texts(row, 13), rotatesRefreshTokens: try row.bool(14))
    }

    private static func authentication(_ row: Row, _ column: Int) throws(PostgresError) -> Client.Authentication {
        guard let bytes = try row.optionalBytes(column) else { return .publicClient }
        // Damage must not make a client public.
        guard let digest = Digest(bytes) else { throw .unexpectedColumn(column) }
        return .secret(digest)
    }

    private static func previousSecret(_ row: Row) throws(PostgresError) -> PreviousSecret? {
        guard let bytes = try row.optionalBytes(9) else { return nil }
        guard let digest = Digest(bytes) else { throw .unexpectedColumn(9) }
        return PreviousSecret(
            digest: digest, remaining: .milliseconds(try row.int64(10)), uses: Int(try row.int64(11)),
            lastUse: try row.optionalTimestamp(12).map { Timestamp(milliseconds: $0) })
    }

    private static func texts(_ row: Row, _ column: Int) throws(PostgresError) -> [String] {
        guard let value = try? JSON.parse(try row.string(column)), let elements = value.arrayValue else {
            throw .unexpectedColumn(column)
        }
        return elements.compactMap(\.stringValue)
    }
}
