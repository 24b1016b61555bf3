package import Postgres

/// The id that a user had in another system. The user's own id, the `sub` of tokens, is never one of these.
package struct UserAlias: Hashable, Sendable {
    /// In bytes, of each part.
    package static let maximumLength = 255

    /// Which system: a name of the operator's choice, such as `firebase`.
    package let source: String
    package let id: String

    /// Nil for a part that is empty, too long, or has a NUL.
    package init?(source: String, id: String) {
        guard [source, id].allSatisfy({ (1...Self.maximumLength).contains($0.utf8.count) && !$0.utf8.contains(0) }) else {
            return nil
        }
        self.source = source
        self.id = id
    }

    init(storedSource source: String, id: String) {
        self.source = source
        self.id = id
    }
}

/// The ids of users in other systems. In each system a user has one, and an id is one user's.
package struct UserAliases: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    private static let byAlias = Statement(
        name: "user_aliases_by_alias",
        sql: "SELECT user_id::text FROM user_aliases WHERE source = $1::text AND id = $2::text", retryable: true)

    private static let byAliases = Statement(
        name: "user_aliases_by_aliases",
        sql: "SELECT id, user_id::text FROM user_aliases WHERE source = $1::text AND id = ANY ($2::text[])", retryable: true)

    private static let ofUser = Statement(
        name: "user_aliases_of_user",
        sql: "SELECT source, id FROM user_aliases WHERE user_id = $1::uuid ORDER BY source", retryable: true)

    private static let ofUsers = Statement(
        name: "user_aliases_of_users",
        sql: "SELECT user_id::text, id FROM user_aliases WHERE source = $1::text AND user_id = ANY ($2::text[]::uuid[])",
        retryable: true)

    private static let insert = Statement(
        name: "user_aliases_insert",
        sql: """
            INSERT INTO user_aliases (source, id, user_id) VALUES ($1::text, $2::text, $3::uuid)
            ON CONFLICT DO NOTHING
            RETURNING user_id::text
            """)

    /// Whose an id of another system is; nil when nobody's.
    /// - Throws: the store's failure.
    package func user(_ alias: UserAlias) async throws(IdentityError) -> UserID? {
        try await mapPostgresErrors { () throws(PostgresError) in
            try await pool.query(Self.byAlias, [.text(alias.source), .text(alias.id)]).first.map { row throws(PostgresError) in
                try Self.userID(row, 0)
            }
        }
    }

    /// Whose the ids are; those that are nobody's are left out.
    /// - Throws: the store's failure.
    package func users(_ ids: [String], in source: String) async throws(IdentityError) -> [String: UserID] {
        try await mapPostgresErrors { () throws(PostgresError) in
            var users: [String: UserID] = [:]
            for row in try await pool.query(Self.byAliases, [.text(source), .textArray(ids)]) {
                users[try row.string(0)] = try Self.userID(row, 1)
            }
            return users
        }
    }

    /// The ids that a user has elsewhere.
    /// - Throws: the store's failure.
    package func aliases(of id: UserID) async throws(IdentityError) -> [UserAlias] {
        try await mapPostgresErrors { () throws(PostgresError) in
            var aliases: [UserAlias] = []
            for row in try await pool.query(Self.ofUser, [.uuid(id.description)]) {
                aliases.append(UserAlias(storedSource: try row.string(0), id: try row.string(1)))
            }
            return aliases
        }
    }

    /// The ids that users have in one system; those who have none are left out.
    /// - Throws: the store's failure.
    package func ids(of users: [UserID], in source: String) async throws(IdentityError) -> [UserID: String] {
        try await mapPostgresErrors { () throws(PostgresError) in
            var ids: [UserID: String] = [:]
            for row in try await pool.query(Self.ofUsers, [.text(source), .textArray(users.map(\.description))]) {
                ids[try Self.userID(row, 0)] = try row.string(1)
            }
            return ids
        }
    }

    /// Gives a user an id of another system.
    /// - Returns: false when the id is somebody's, or the user has another one there.
    /// - Throws: `IdentityError.userNotFound`, or the store's failure.
    package func add(_ alias: UserAlias, to id: UserID) async throws(IdentityError) -> Bool {
        do throws(PostgresError) {
            return try await !pool.query(Self.insert, [.text(alias.source), .text(alias.id), .uuid(id.description)]).isEmpty
        } catch .server(sqlState: "23503", _) {
            throw .userNotFound
        } catch {
            throw IdentityError(postgres: error)
        }
    }

    private static func userID(_ row: Row, _ column: Int) throws(PostgresError) -> UserID {
        guard let id = UserID(try row.string(column)) else { throw .unexpectedColumn(column) }
        return id
    }
}
