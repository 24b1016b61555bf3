import Postgres
import Text

/// A user and what opens the account, as they are before a change.
struct AccountState: Sendable {
    let user: User
    let passwordHash: String?
    let waysIn: WaysIn

    /// Holds the user against every other change, and reads.
    /// - Throws: `IdentityError.userNotFound`, or the store's failure.
    static func hold(_ id: UserID, in transaction: Transaction) async throws(IdentityError) -> AccountState {
        let found = try await mapPostgresErrors { () throws(PostgresError) in
            try await transaction.query(AccountChangeQueries.lockUser, [.uuid(id.description)]).first.map {
                row throws(PostgresError) in
                let columns = UserQueries.columnCount
                return (
                    user: try UserStore.user(row), hash: try row.optionalString(columns),
                    identities: try row.string(columns + 1)
                )
            }
        }
        guard let found else { throw .userNotFound }
        guard let identities = try? JSON.parse(found.identities, maximumValues: 1_000_000) else { throw .fault() }
        return AccountState(
            user: found.user, passwordHash: found.hash,
            waysIn: WaysIn(email: found.user.email, passwordHash: found.hash, identities: identities))
    }
}
