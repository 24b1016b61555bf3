package import Postgres
package import Text

/// The users in PostgreSQL.
package struct UserStore: Sendable {
    /// A user and the stored password hash, if there is one; and what is set in the app API, where that has been looked up.
    package typealias Credentials = (user: User, passwordHash: String?, settings: AppSettings?)

    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// - Throws: `IdentityError.emailTaken`, `phoneNumberTaken`, or the store's failure.
    package func insert(_ user: User, passwordHash: String?) async throws(IdentityError) -> User {
        return try await mapTakenValues { () throws(PostgresError) in
            try await Self.one(pool.query(UserQueries.insert, Self.parameters(of: user, passwordHash: passwordHash)))
        }
    }

    /// - Throws: `IdentityError.userNotFound`, or the store's failure.
    package func user(_ id: UserID) async throws(IdentityError) -> User {
        try await found(UserQueries.byID, [.uuid(id.description)])
    }

    /// The user and the stored password hash behind an address, with the settings; nil when there is none.
    /// - Throws: the store's failure.
    package func credentials(of email: EmailAddress) async throws(IdentityError) -> Credentials? {
        try await mapPostgresErrors { () throws(PostgresError) in
            let rows = try await pool.query(UserQueries.byEmailForSignIn, [.text(email.normalized)])
            return try rows.first.map { row throws(PostgresError) in
                (
                    try Self.user(row), try row.optionalString(UserQueries.columnCount),
                    try AppSettingsStore.settings(row, UserQueries.columnCount + 1)
                )
            }
        }
    }

    /// The user that a statement finds, with one column more: the password hash.
    func credentials(
        _ statement: Statement, _ parameter: PostgresValue
    ) async throws(IdentityError) -> Credentials? {
        try await mapPostgresErrors { () throws(PostgresError) in
            let rows = try await pool.query(statement, [parameter])
            return try rows.first.map { row throws(PostgresError) in
                (try Self.user(row), try row.optionalString(UserQueries.columnCount), nil)
            }
        }
    }

    /// - Throws: `IdentityError.userNotFound`, or the store's failure.
    func hasPassword(_ id: UserID) async throws(IdentityError) -> Bool {
        let answer = try await mapPostgresErrors { () throws(PostgresError) in
            try await pool.query(UserQueries.hasPassword, [.uuid(id.description)]).first.map { row throws(PostgresError) in
                try row.bool(0)
            }
        }
        guard let answer else { throw .userNotFound }
        return answer
    }

    /// Changes what is to be changed and leaves the rest.
    /// - Throws: `IdentityError.userNotFound`, or the store's failure.
    package func updateProfile(
        of id: UserID, displayName: FieldChange<DisplayName>, photoURL: FieldChange<PhotoURL>, at now: Timestamp
    ) async throws(IdentityError) -> User {
        try await found(
            UserQueries.updateProfile,
            [
                .uuid(id.description), .bool(displayName.changes), .text(orNull: displayName.value?.text),
                .bool(photoURL.changes), .text(orNull: photoURL.value?.text),
                .integer(now.milliseconds),
            ])
    }

    /// Stores the same password hashed anew, unless it has been replaced meanwhile.
    /// - Throws: the store's failure.
    package func rehashPassword(of id: UserID, from old: String, to new: String) async throws(IdentityError) {
        _ = try await changes(UserQueries.rehashPassword, [.uuid(id.description), .text(new), .text(old)])
    }

    /// Notes a sign-in, if the user may (still) sign in with the credentials that were proved.
    /// - Throws: `IdentityError.invalidCredentials` when they may not, or the store's failure.
    package func recordSignIn(of user: User, at now: Timestamp) async throws(IdentityError) {
        let parameters: [PostgresValue] = [
            .uuid(user.id.description), .integer(now.milliseconds), .integer(user.credentialsVersion),
        ]
        guard try await changes(UserQueries.recordSignIn, parameters) else { throw .invalidCredentials }
    }

    /// - Throws: `IdentityError.userNotFound`, or the store's failure.
    package func enable(_ id: UserID, at now: Timestamp) async throws(IdentityError) -> User {
        try await found(UserQueries.enable, [.uuid(id.description), .integer(now.milliseconds)])
    }

    func found(_ statement: Statement, _ parameters: [PostgresValue]) async throws(IdentityError) -> User {
        let user = try await mapPostgresErrors { () throws(PostgresError) in
            try await pool.query(statement, parameters).first.map { row throws(PostgresError) in try Self.user(row) }
        }
        guard let user else { throw .userNotFound }
        return user
    }

    func changes(_ statement: Statement, _ parameters: [PostgresValue]) async throws(IdentityError) -> Bool {
        try await mapPostgresErrors { () throws(PostgresError) in try await !pool.query(statement, parameters).isEmpty }
    }

    /// Those of `UserQueries.insert`.
    static func parameters(of user: User, passwordHash: String?) -> [PostgresValue] {
        [
            .uuid(user.id.description), .text(orNull: user.email?.typed), .text(orNull: user.email?.normalized),
            .bool(user.emailVerified), .text(orNull: passwordHash), .text(orNull: user.displayName?.text),
            .text(orNull: user.photoURL?.text),
            .text(orNull: user.phoneNumber), .json(rendered(user.claims)), .integer(user.createdAt.milliseconds),
            .bool(user.emailClaimed), .textArray(user.roles),
            user.tokensValidAfter.map { .integer($0.milliseconds) } ?? .null, .bool(user.isAnonymous),
            user.lastSignInAt.map { .integer($0.milliseconds) } ?? .null,
        ]
    }

    /// The user in the first row.
    static func one(_ rows: Rows) throws(PostgresError) -> User {
        guard let row = rows.first else { throw .unexpectedColumn(0) }
        return try user(row)
    }

    static func rendered(_ object: JSONObject) -> String {
        String(decoding: JSONValue.object(object).serialized, as: UTF8.self)
    }

    static func user(_ row: Row) throws(PostgresError) -> User {
        guard let id = UserID(try row.string(0)) else { throw .unexpectedColumn(0) }
        let claims = try row.string(7)
        let roles = try row.string(15)
        return User(
            id: id, email: try email(row),
            emailVerified: try row.bool(3), displayName: try row.optionalString(4).map { DisplayName(stored: $0) },
            photoURL: try row.optionalString(5).map { PhotoURL(stored: $0) }, phoneNumber: try row.optionalString(6),
            isAnonymous: try row.bool(17), claims: claims == "{}" ? JSONObject() : try Self.claims(claims),
            roles: roles == "[]" ? [] : try Self.roles(roles), tokensValidAfter: try instant(row, 16),
            credentialsVersion: try row.int64(8), disabledAt: try instant(row, 9),
            createdAt: Timestamp(milliseconds: try row.int64(10)), updatedAt: Timestamp(milliseconds: try row.int64(11)),
            lastSignInAt: try instant(row, 12), firstProvider: try row.optionalString(13).flatMap { ProviderID($0) },
            emailClaimed: try row.bool(14))
    }

    private static func email(_ row: Row) throws(PostgresError) -> EmailAddress? {
        guard let typed = try row.optionalString(1) else { return nil }
        return EmailAddress(storedTyped: typed, normalized: try row.string(2))
    }

    private static func claims(_ text: String) throws(PostgresError) -> JSONObject {
        guard let claims = try? JSON.parse(text).objectValue else { throw .unexpectedColumn(7) }
        return claims
    }

    private static func roles(_ text: String) throws(PostgresError) -> [String] {
        guard let roles = try? JSON.parse(text).arrayValue else { throw .unexpectedColumn(15) }
        return roles.compactMap(\.stringValue)
    }

    private static func instant(_ row: Row, _ column: Int) throws(PostgresError) -> Timestamp? {
        try row.optionalInt64(column).map { Timestamp(milliseconds: $0) }
    }
}

extension UserStore {
    private static let voidTokens = Statement(
        name: "users_void_tokens",
        sql: """
            UPDATE users
            SET tokens_valid_after = greatest(tokens_valid_after, date_trunc('second', to_timestamp($2::bigint / 1000.0)))
            WHERE id = $1::uuid
            """)

    /// Has tokens from before an instant refused by whoever compares their times with it, where a user ends all sessions and nothing that opens
    /// the account changes (else `HeldUser` does).
    /// - Throws: the store's failure.
    func voidTokens(of id: UserID, before instant: Timestamp) async throws(IdentityError) {
        _ = try await mapPostgresErrors { () throws(PostgresError) in
            try await pool.query(Self.voidTokens, [.uuid(id.description), .integer(instant.milliseconds)])
        }
    }
}
