package import Postgres
package import Text

/// The identities in PostgreSQL.
package struct IdentityStore: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The user who has the identity of a claim, with the identity brought up to date; nil when nobody has it.
    /// - Throws: the store's failure.
    func use(_ presented: PresentedIdentity, at now: Timestamp) async throws(IdentityError) -> UserID? {
        let parameters: [PostgresValue] = [
            .text(presented.provider.text), .text(presented.subject), .text(presented.audience),
            .text(orNull: presented.email?.typed),
            .bool(presented.isEmailVerified), .bool(presented.emailStanding == .relay), .integer(now.milliseconds),
        ]
        return try await mapPostgresErrors { () throws(PostgresError) in
            try await pool.query(IdentityQueries.use, parameters).first.map { row throws(PostgresError) in
                guard let id = UserID(try row.string(0)) else { throw .unexpectedColumn(0) }
                return id
            }
        }
    }

    /// Whether the provider has told us not to take a claim for good.
    /// - Throws: the store's failure.
    func isBarred(_ presented: PresentedIdentity) async throws(IdentityError) -> Bool {
        let issuedAt = presented.issuedAt.map { PostgresValue.integer($0.milliseconds) } ?? .null
        let parameters: [PostgresValue] = [.text(presented.provider.text), .text(presented.subject), issuedAt]
        return try await mapPostgresErrors { () throws(PostgresError) in
            try await pool.query(IdentityQueries.isBarred, parameters).first?.bool(0) ?? false
        }
    }

    /// The oldest first.
    /// - Throws: the store's failure.
    package func identities(of userID: UserID) async throws(IdentityError) -> [ExternalIdentity] {
        try await mapPostgresErrors { () throws(PostgresError) in
            try await Self.identities(pool.query(IdentityQueries.ofUser, [.uuid(userID.description)]))
        }
    }

    /// Makes a user with an identity, or neither.
    /// - Throws: `IdentityError.emailTaken` or `identityTaken` when somebody was faster, or the store's failure.
    func create(
        _ user: User, passwordHash: String?, with identity: ExternalIdentity
    ) async throws(IdentityError) -> User {
        try await pool.transaction { transaction throws(IdentityError) in
            return try await mapTakenValues { () throws(PostgresError) in
                _ = try await transaction.query(
                    UserQueries.insert, UserStore.parameters(of: user, passwordHash: passwordHash))
                _ = try await transaction.query(IdentityQueries.insert, Self.parameters(of: identity))
                return try await UserStore.one(transaction.query(UserQueries.byID, [.uuid(user.id.description)]))
            }
        }
    }

    /// Adds an identity to a user who is as they were read: neither disabled nor with other credentials since.
    /// - Parameter email: the address that must be the user's own, proved, for the identity to be added.
    /// - Returns: false when the user has changed.
    /// - Throws: `IdentityError.identityTaken`, or the store's failure.
    func add(
        _ identity: ExternalIdentity, to user: User, provingOwn email: EmailAddress? = nil, in transaction: Transaction
    ) async throws(IdentityError) -> Bool {
        let conditions: [PostgresValue] = [.integer(user.credentialsVersion), .text(orNull: email?.normalized)]
        return try await mapTakenValues { () throws(PostgresError) in
            try await !transaction.query(
                IdentityQueries.insertForUser, Self.parameters(of: identity) + conditions
            ).isEmpty
        }
    }

    /// Those of `IdentityQueries.insert`.
    static func parameters(of identity: ExternalIdentity) -> [PostgresValue] {
        [
            .text(identity.provider.text), .text(identity.subject), .uuid(identity.userID.description), .text(identity.audience),
            .text(orNull: identity.email), .bool(identity.isEmailVerified), .bool(identity.isPrivateEmail),
            .integer(identity.createdAt.milliseconds),
        ]
    }

    static func identities(_ rows: Rows) throws(PostgresError) -> [ExternalIdentity] {
        var identities: [ExternalIdentity] = []
        for row in rows { identities.append(try identity(row)) }
        return identities
    }

    private static func identity(_ row: Row) throws(PostgresError) -> ExternalIdentity {
        guard let provider = ProviderID(try row.string(0)) else { throw .unexpectedColumn(0) }
        guard let userID = UserID(try row.string(2)) else { throw .unexpectedColumn(2) }
        return ExternalIdentity(
            provider: provider, subject: try row.string(1), userID: userID, audience: try row.string(3),
            email: try row.optionalString(4), isEmailVerified: try row.bool(5), isPrivateEmail: try row.bool(6),
            createdAt: Timestamp(milliseconds: try row.int64(7)), lastUsedAt: Timestamp(milliseconds: try row.int64(8)))
    }
}

/// A user's account at a provider. Provider and subject are its key; everything else may change there at any time.
package struct ExternalIdentity: Equatable, Sendable {
    /// In bytes (OpenID Connect Core §2).
    package static let maximumSubjectLength = 255

    package let provider: ProviderID
    /// The provider's name for the person: the `sub` of its id tokens, and no secret.
    package let subject: String
    package let userID: UserID
    /// Which of our apps it was last used with: one of our client ids at the provider.
    package let audience: String
    /// The address that the provider last told, in its spelling: to show, and for nothing else.
    package let email: String?
    package let isEmailVerified: Bool
    /// An address that the provider forwards mail from, made for this user and us.
    package let isPrivateEmail: Bool
    package let createdAt: Timestamp
    package let lastUsedAt: Timestamp
}
