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
