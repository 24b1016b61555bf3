package import Crypto
import Postgres
package import Text

/// What operators look up and change.
extension UserStore {
    /// The users whose normalised address begins so, in the order of their addresses.
    /// - Throws: the store's failure.
    package func users(_ prefix: EmailPrefix, count: Int) async throws(IdentityError) -> [User] {
        try await mapPostgresErrors { () throws(PostgresError) in
            let parameters: [PostgresValue] = [.text(prefix.lowerBound), .text(prefix.upperBound), .integer(count)]
            var users: [User] = []
            for row in try await pool.query(UserQueries.byEmailPrefix, parameters) { users.append(try Self.user(row)) }
            return users
        }
    }

    /// Replaces a user's claims, roles, or both.
    /// - Throws: `IdentityError.userNotFound`, or the store's failure.
    func setTokenContent(
        of id: UserID, claims: CustomClaims?, roles: Roles?, at now: Timestamp
    ) async throws(IdentityError) -> User {
        try await found(
            UserQueries.setTokenContent,
            [
                .uuid(id.description), claims.map { .json(Self.rendered($0.object)) } ?? .null,
                roles.map { .textArray($0.names) } ?? .null, .integer(now.milliseconds),
            ])
    }

    enum State: Sendable {
        case active, disabled
    }

    /// The states of those among the users that there are.
    /// - Throws: the store's failure.
    func states(of ids: [UserID]) async throws(IdentityError) -> [UserID: State] {
        let list = JSONValue.array(ids.map { .string($0.description) }).serialized
        return try await mapPostgresErrors { () throws(PostgresError) in
            var states: [UserID: State] = [:]
            for row in try await pool.query(UserQueries.states, [.json(String(decoding: list, as: UTF8.self))]) {
                guard let id = UserID(try row.string(0)) else { throw .unexpectedColumn(0) }
                states[id] = try row.bool(1) ? .disabled : .active
            }
            return states
        }
    }

    /// Everything that PostgreSQL has of a user but for audit events, as a JSON document without secrets.
    /// - Throws: `IdentityError.userNotFound`, or the store's failure.
    package func data(of id: UserID) async throws(IdentityError) -> JSONObject {
        let text = try await mapPostgresErrors { () throws(PostgresError) in
            try await pool.query(UserDataQueries.data, [.uuid(id.description)]).first.map { row throws(PostgresError) in
                try row.string(0)
            }
        }
        guard let text else { throw .userNotFound }
        guard let data = try? JSON.parse(text, maximumValues: 10_000_000).objectValue else { throw .fault() }
        return data
    }
}

/// Password hashes that users have brought along from elsewhere.
extension UserStore {
    /// The condition and the order are those of the index `users_by_imported_hash`, of which one entry a kind is read. Parameters: kinds of
    /// hashes, and the most that each may cost.
    private static let highestCosts = Statement(
        name: "users_imported_hash_costs",
        sql: """
            SELECT kind, (
                SELECT max(password_hash_cost(password_hash)) FROM users
                WHERE password_hash NOT LIKE '$argon2id$%' AND password_hash_kind(password_hash) = kind
                    AND password_hash_cost(password_hash) <= most
            )
            FROM unnest($1::text[], $2::text[]::bigint[]) AS kinds (kind, most)
            """, retryable: true)

    /// The dearest of each kind that any user has and that can be checked.
    /// - Throws: the store's failure.
    package func importedHashes(within limits: ForeignHash.Limits) async throws(IdentityError) -> ImportedHashes {
        let kinds = HashWork.allCases
        let parameters: [PostgresValue] = [
            .textArray(kinds.map(\.rawValue)), .textArray(kinds.map { String($0.highest(limits)) }),
        ]
        return try await mapPostgresErrors { () throws(PostgresError) in
            var highest: [HashWork: Int] = [:]
            for row in try await pool.query(Self.highestCosts, parameters) {
                guard let cost = try row.optionalInt64(1), let kind = HashWork(rawValue: try row.string(0)) else { continue }
                highest[kind] = Int(cost)
            }
            return ImportedHashes(highest)
        }
    }
}
