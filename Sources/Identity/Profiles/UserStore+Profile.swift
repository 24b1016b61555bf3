import Postgres
import Text

extension UserStore {
    /// A user under a username of their own choice: both or neither.
    /// - Throws: `IdentityError.emailTaken`, `usernameTaken`, or the store's failure.
    func insert(_ user: User, passwordHash: String?, username: Username) async throws(IdentityError) -> User {
        try await pool.transaction { transaction throws(IdentityError) in
            try await mapTakenValues { () throws(PostgresError) in
                let inserted = try Self.one(
                    try await transaction.query(UserQueries.insert, Self.parameters(of: user, passwordHash: passwordHash)))
                let parameters: [PostgresValue] = [.uuid(user.id.description), .text(username.text), .text(username.folded)]
                _ = try await transaction.query(ProfileQueries.insert, parameters)
                return inserted
            }
        }
    }

    /// The user of an id and the stored password hash; nil when there is none.
    /// - Throws: the store's failure.
    package func credentials(of id: UserID) async throws(IdentityError) -> Credentials? {
        try await credentials(UserQueries.byIDForSignIn, .uuid(id.description))
    }

    /// The user of a username and the stored password hash; nil when there is none.
    /// - Throws: the store's failure.
    package func credentials(of username: Username) async throws(IdentityError) -> Credentials? {
        try await credentials(UserQueries.byUsernameForSignIn, .text(username.folded))
    }

    /// Notes that an address has proved to be its user's; false when the user is gone, disabled or has another address by now, or has only
    /// claimed it and somebody else has it.
    /// - Throws: the store's failure.
    func verifyEmail(of id: UserID, _ address: String, at now: Timestamp) async throws(IdentityError) -> Bool {
        try await mapPostgresErrors { () throws(PostgresError) in
            let parameters: [PostgresValue] = [.uuid(id.description), .text(address), .integer(now.milliseconds)]
            do throws(PostgresError) {
                return try await !pool.query(UserQueries.verifyEmail, parameters).isEmpty
            } catch .uniqueViolation(constraint: UniqueConstraint.email) {
                return false
            }
        }
    }
}
