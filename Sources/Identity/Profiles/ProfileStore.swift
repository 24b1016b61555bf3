package import Postgres
import Text

/// The profiles in PostgreSQL.
package struct ProfileStore: Sendable {
    /// Somebody may take a name between two statements, but not for ever.
    private static let attempts = 5

    private let pool: PostgresPool
    private let system: SystemContext

    package init(pool: PostgresPool, system: SystemContext) {
        self.pool = pool
        self.system = system
    }

    /// The profile of a user; one who has none yet gets it now.
    /// - Throws: `IdentityError.userNotFound`, or the store's failure.
    package func profile(of user: User) async throws(IdentityError) -> Profile {
        let id = PostgresValue.uuid(user.id.description)
        for _ in 0..<Self.attempts {
            if let profile = try await first(ProfileQueries.byUser, [id]) { return profile }
            let names = Username.candidates(for: user.email, random: system.random)
            do throws(PostgresError) {
                let rows = try await pool.query(ProfileQueries.insertWithFreeName, [id, .textArray(names)])
                if let profile = try rows.first.map({ row throws(PostgresError) in try Self.profile(row) }) { return profile }
            } catch .server(sqlState: "23503", _) {
                throw .userNotFound
            } catch {
                throw IdentityError(postgres: error)
            }
        }
        throw .unavailable(retryAfter: .seconds(1))
    }

    /// - Throws: `IdentityError.usernameTaken`, `userNotFound`, or the store's failure.
    package func change(
        of id: UserID, username: Username?, firstName: String?, lastName: String?
    ) async throws(IdentityError) -> Profile {
        let parameters: [PostgresValue] = [
            .uuid(id.description), .text(orNull: username?.text), .text(orNull: username?.folded), .text(orNull: firstName),
            .text(orNull: lastName),
        ]
        let profile = try await mapTakenValues { () throws(PostgresError) in
            try await pool.query(ProfileQueries.update, parameters).first.map { row throws(PostgresError) in try Self.profile(row)
            }
        }
        guard let profile else { throw .userNotFound }
        return profile
    }

    /// Whose a number is; nil when nobody's.
    /// - Throws: the store's failure.
    package func user(withNumber number: Int64) async throws(IdentityError) -> UserID? {
        try await userID(ProfileQueries.userByNumber, [.integer(number)])
    }

    /// Whose a username is; nil when nobody's.
    /// - Throws: the store's failure.
    package func user(named name: Username) async throws(IdentityError) -> UserID? {
        try await userID(ProfileQueries.userByUsername, [.text(name.folded)])
    }

    static func profile(_ row: Row) throws(PostgresError) -> Profile {
        Profile(
            number: try row.int64(0), username: Username(stored: try row.string(1)), firstName: try row.string(2),
            lastName: try row.string(3))
    }

    private func first(_ statement: Statement, _ parameters: [PostgresValue]) async throws(IdentityError) -> Profile? {
        try await mapPostgresErrors { () throws(PostgresError) in
            try await pool.query(statement, parameters).first.map { row throws(PostgresError) in try Self.profile(row) }
        }
    }

    private func userID(_ statement: Statement, _ parameters: [PostgresValue]) async throws(IdentityError) -> UserID? {
        try await mapPostgresErrors { () throws(PostgresError) in
            try await pool.query(statement, parameters).first.map { row throws(PostgresError) in
                guard let id = UserID(try row.string(0)) else { throw .unexpectedColumn(0) }
                return id
            }
        }
    }
}

/// What rest-auth knows of a user beside what all know: Django's number, username and two names. No other protocol shows them.
package struct Profile: Equatable, Sendable {
    /// For clients whose users are numbered; never given to anybody else.
    package let number: Int64
    package let username: Username
    package let firstName: String
    package let lastName: String

    package init(number: Int64, username: Username, firstName: String, lastName: String) {
        self.number = number
        self.username = username
        self.firstName = firstName
        self.lastName = lastName
    }

    /// In Unicode scalars, of each of the two names.
    package static let maximumNameLength = 150
}
