import Postgres
import Text

/// A user whose row is held: no sign-in, link or other change of the user comes between until the transaction ends. Only `UserChanges` makes
/// one, and only through it what opens an account is changed.
package struct HeldUser: Sendable {
    /// As the user was before the change, but with the `credentialsVersion` that holds from now on.
    package let user: User
    let hasPassword: Bool
    let now: Timestamp
    let transaction: Transaction

    /// Holds a user's row, and raises `credentials_version`: what began under the old number is void once this is committed.
    /// - Returns: nil when there is no such user.
    /// - Throws: the store's failure.
    static func hold(
        _ id: UserID, in transaction: Transaction, at now: Timestamp
    ) async throws(IdentityError) -> HeldUser? {
        try await mapPostgresErrors { () throws(PostgresError) in
            let parameters: [PostgresValue] = [.uuid(id.description), .integer(now.milliseconds)]
            return try await transaction.query(HeldUserQueries.hold, parameters).first.map { row throws(PostgresError) in
                HeldUser(
                    user: try UserStore.user(row), hasPassword: try row.bool(UserQueries.columnCount), now: now,
                    transaction: transaction)
            }
        }
    }

    private init(user: User, hasPassword: Bool, now: Timestamp, transaction: Transaction) {
        self.user = user
        self.hasPassword = hasPassword
        self.now = now
        self.transaction = transaction
    }

    /// Whether nobody has changed what opens the account since it was read.
    func isUnchanged(since read: User) -> Bool {
        user.credentialsVersion == read.credentialsVersion + 1
    }

    /// The user with what has been changed by now.
    /// - Throws: the store's failure.
    func changed() async throws(IdentityError) -> User {
        try await mapPostgresErrors { () throws(PostgresError) in
            try await UserStore.one(transaction.query(UserQueries.byID, [id]))
        }
    }

    /// - Parameter hash: nil for none.
    /// - Throws: the store's failure; `IdentityError.unavailable` when somebody takes the address in the same moment that is only claimed.
    func setPassword(_ hash: String?) async throws(IdentityError) {
        do throws(PostgresError) {
            _ = try await HeldUserQueries.setPassword.run(on: self, [id, .text(orNull: hash)])
        } catch .uniqueViolation(constraint: UniqueConstraint.email) {
            throw .unavailable(retryAfter: .seconds(1))
        } catch {
            throw IdentityError(postgres: error)
        }
    }

    /// Has tokens from before an instant refused by whoever compares their `auth_time` with it, as the Admin SDKs of Firebase do.
    func voidTokens(before instant: Timestamp) async throws(IdentityError) {
        try await run(HeldUserQueries.voidTokens, [id, .integer(instant.milliseconds)])
    }

    func disable() async throws(IdentityError) {
        try await run(HeldUserQueries.disable, [id, .integer(now.milliseconds)])
    }

    func delete() async throws(IdentityError) {
        try await run(HeldUserQueries.delete, [id])
    }

    func setEmailProved() async throws(IdentityError) {
        try await run(HeldUserQueries.setEmailProved, [id])
    }

    /// The same by somebody who opens nothing with it: who has opened the account until now stays, up to the next reset by mail
    /// (`removeEarlierIdentities`).
    /// - Throws: `IdentityError.emailTaken` when the address was only claimed and is somebody else's; the store's failure.
    func setEmailConfirmed() async throws(IdentityError) {
        _ = try await mapTakenValues { () throws(PostgresError) in
            try await HeldUserQueries.setEmailConfirmed.run(on: self, [id, .integer(now.milliseconds)])
        }
    }

    /// Puts another address in the place of the user's.
    /// - Throws: `IdentityError.emailTaken`, or the store's failure.
    func setEmail(_ email: EmailAddress, isProved: Bool) async throws(IdentityError) {
        let parameters: [PostgresValue] = [id, .text(email.typed), .text(email.normalized), .bool(isProved)]
        try await mapTakenValues { () throws(PostgresError) in
            _ = try await HeldUserQueries.changeAddress.run(on: self, parameters)
        }
    }

    /// Whether a server of the team's signs the user in, and did before there was an address.
    func isVouchedFor() async throws(IdentityError) -> Bool {
        try await mapPostgresErrors { () throws(PostgresError) in
            try await transaction.query(HeldUserQueries.isVouchedFor, [id]).first?.bool(0) ?? false
        }
    }

    /// The user's identities, the oldest first.
    func identities() async throws(IdentityError) -> [ExternalIdentity] {
        try await mapPostgresErrors { () throws(PostgresError) in
            try await IdentityStore.identities(transaction.query(IdentityQueries.ofUser, [id]))
        }
    }

    /// - Throws: `IdentityError.identityTaken`, or the store's failure.
    func add(_ identity: ExternalIdentity) async throws(IdentityError) {
        try await mapTakenValues { () throws(PostgresError) in
            _ = try await transaction.query(IdentityQueries.insert, IdentityStore.parameters(of: identity))
        }
    }

    func removeIdentities() async throws(IdentityError) {
        try await run(HeldUserQueries.removeIdentities, [id])
    }

    /// What somebody has allowed clients to get, who may have been another.
    func removeConsents() async throws(IdentityError) {
        try await run(HeldUserQueries.removeConsents, [id])
    }

    /// Those from before the address was confirmed by the mail of a sign-up, or by an administrator: whoever has signed up may be another than
    /// who reads the mail.
    func removeEarlierIdentities() async throws(IdentityError) {
        try await run(HeldUserQueries.removeEarlierIdentities, [id])
    }

    func removeIdentities(of provider: ProviderID) async throws(IdentityError) {
        try await run(HeldUserQueries.removeIdentitiesOfProvider, [id, .text(provider.text)])
    }

    func removeIdentity(_ provider: ProviderID, _ subject: String) async throws(IdentityError) {
        try await run(HeldUserQueries.removeIdentity, [id, .text(provider.text), .text(subject)])
    }

    /// Id tokens of before an instant are void.
    func requireNewIDToken(_ provider: ProviderID, _ subject: String, after time: Timestamp) async throws(IdentityError) {
        try await run(
            HeldUserQueries.requireNewIDToken, [id, .text(provider.text), .text(subject), .integer(time.milliseconds)])
    }

    /// No id token of the identity is good until it is unblocked.
    /// - Parameter change: when the provider blocked it; nil for now.
    /// - Returns: false when the provider has unblocked it since.
    func block(
        _ provider: ProviderID, _ subject: String, since change: Timestamp?, at time: StatementTime
    ) async throws(IdentityError) -> Bool {
        let instant = change.map { PostgresValue.integer($0.milliseconds) } ?? .null
        let rows = try await run(
            HeldUserQueries.block, [time.parameter, id, .text(provider.text), .text(subject), instant])
        return try await mapPostgresErrors { () throws(PostgresError) in try rows.first?.bool(0) ?? false }
    }

    /// Runs a statement that changes what opens the account.
    @discardableResult
    func run(_ statement: HeldStatement, _ parameters: [PostgresValue]) async throws(IdentityError) -> Rows {
        try await mapPostgresErrors { () throws(PostgresError) in try await statement.run(on: self, parameters) }
    }

    /// Runs any other statement in the transaction: what is to be if and only if the change is, such as a mail that tells of it.
    @discardableResult
    func query(_ statement: Statement, _ parameters: [PostgresValue]) async throws(PostgresError) -> Rows {
        try await transaction.query(statement, parameters)
    }

    private var id: PostgresValue { .uuid(user.id.description) }
}
