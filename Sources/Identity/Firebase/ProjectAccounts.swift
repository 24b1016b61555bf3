import Networking
import Postgres
import Text

/// The accounts of an installation as a Firebase project: found by the project's ids, and changed as its administrators may.
///
/// They are everybody's accounts: what is changed here holds for every other API, by the same rules.
package final class ProjectAccounts: Sendable {
    let accounts: Accounts
    package let rules: ProjectRules
    let links: EmailLinkStore
    let aliases: UserAliases
    var users: UserStore { accounts.users }
    var sessions: Sessions { accounts.sessions }
    var system: SystemContext { accounts.system }

    package init(accounts: Accounts, rules: ProjectRules) {
        self.accounts = accounts
        self.rules = rules
        links = EmailLinkStore(redis: accounts.sessions.store.redis)
        aliases = UserAliases(pool: accounts.users.pool)
    }

    /// - Throws: `IdentityError.userNotFound`, `unavailable`.
    package func user(_ id: UserID) async throws(IdentityError) -> ProjectUser {
        let found = try await rows(ProjectUserQueries.byID, [.uuid(id.description)])
        guard let user = found.first else { throw .userNotFound }
        return user
    }

    /// The user of a project's id.
    /// - Throws: `IdentityError.userNotFound`, `unavailable`.
    package func user(localID: String) async throws(IdentityError) -> ProjectUser {
        let found = try await users(ProjectUserNames(localIDs: [localID]))
        // An id that was given goes before one that is somebody's own.
        guard let user = found.first(where: { $0.localID == localID }) ?? found.first else { throw .userNotFound }
        return user
    }

    /// The user of an address; nil when nobody has it.
    /// - Throws: `IdentityError.unavailable`.
    package func user(of email: EmailAddress) async throws(IdentityError) -> User? {
        try await users.credentials(of: email)?.user
    }

    /// Everybody who is named, each once.
    /// - Throws: `IdentityError.unavailable`.
    package func users(_ names: ProjectUserNames) async throws(IdentityError) -> [ProjectUser] {
        // What no user can have is not asked for, and PostgreSQL takes no NUL.
        func plain(_ texts: [String]) -> [String] { texts.filter { $0.utf8.count <= 255 && !$0.utf8.contains(0) } }
        let ids = names.localIDs.filter { UserID($0) != nil }
        let emails = names.emails.compactMap { try? EmailAddress($0).normalized }
        let identities = names.identities.filter { plain([$0.provider, $0.subject]).count == 2 }
        return try await rows(
            ProjectUserQueries.find,
            [
                .textArray(ids), .textArray(plain(names.localIDs)), .textArray(emails), .textArray(plain(names.phoneNumbers)),
                .textArray(identities.map(\.provider)), .textArray(identities.map(\.subject)),
            ])
    }

    /// The first whose provider knows them by an address, for the few users of an emulator: every identity is looked at.
    /// - Throws: `IdentityError.unavailable`.
    package func users(withIdentityAt email: EmailAddress) async throws(IdentityError) -> [ProjectUser] {
        try await rows(ProjectUserQueries.byIdentityEmail, [.text(email.normalized)])
    }

    /// The next users in the order of their own ids.
    /// - Parameter last: the last user of the page before.
    /// - Throws: `IdentityError.unavailable`.
    package func page(after last: UserID?, count: Int) async throws(IdentityError) -> [ProjectUser] {
        let start = last?.description ?? "00000000-0000-0000-0000-000000000000"
        return try await rows(ProjectUserQueries.page, [.uuid(start), .integer(count)])
    }

    /// The next users in the order of the project's ids: every user is looked at for it.
    /// - Throws: `IdentityError.unavailable`.
    package func page(afterLocalID last: String, count: Int) async throws(IdentityError) -> [ProjectUser] {
        guard !last.utf8.contains(0) else { return [] }
        return try await rows(ProjectUserQueries.pageByLocalID, [.text(last), .integer(count)])
    }

    /// - Throws: `IdentityError.unavailable`.
    package func list(
        by order: ProjectUserOrder, descending: Bool, count: Int, offset: Int
    ) async throws(IdentityError) -> [ProjectUser] {
        try await rows(
            ProjectUserQueries.sorted, [.text(order.rawValue), .bool(descending), .integer(count), .integer(offset)])
    }

    /// - Throws: `IdentityError.unavailable`.
    package func count() async throws(IdentityError) -> Int64 {
        try await mapPostgresErrors { () throws(PostgresError) in
            try await users.pool.query(ProjectUserQueries.count).first?.int64(0) ?? 0
        }
    }

    /// A session of the user that lives, by which something is asked for.
    /// - Throws: `IdentityError.sessionNotFound`, `unavailable`.
    package func session(_ id: SessionID) async throws(IdentityError) -> Session {
        try await sessions.session(id)
    }

    /// Deletes a user; who is gone already is no error.
    /// - Throws: `IdentityError.unavailable`.
    package func delete(_ id: UserID, by client: Client, caller: Caller) async throws(IdentityError) {
        do throws(IdentityError) {
            try await accounts.delete(id, by: .client(client.id), caller: caller)
        } catch .userNotFound {
            return
        }
    }

    /// Counts a question to a provider, as a proof.
    /// - Throws: `IdentityError.tooManyRequests`, `unavailable`.
    package func countProviderToken(_ caller: Caller) async throws(IdentityError) {
        try await accounts.limiter.take(.providerToken(caller), caller)
    }

    /// What the hash of an imported user is stored as; nil for what cannot be checked here, or costs too much to check.
    package func stored(hash: String, salt: String, by hashing: FirebaseHashing) -> String? {
        try? hashing.stored(hash: hash, salt: salt, accounts.hasher.importedLimits)
    }

    private func rows(
        _ statement: Statement, _ parameters: [PostgresValue]
    ) async throws(IdentityError) -> [ProjectUser] {
        try await mapPostgresErrors { () throws(PostgresError) in
            var found: [ProjectUser] = []
            for row in try await users.pool.query(statement, parameters) { found.append(try ProjectUserQueries.user(row)) }
            return found
        }
    }
}

/// What a project has decided.
package struct ProjectRules: Equatable, Sendable {
    /// Of a new password, in UTF-16 code units.
    package var minimumPassword = Password.minimumLength
    /// Whether the commonest passwords are refused.
    package var refusesCommonPasswords = true
    package var allowsEmailLinks = true
    /// How long the link of a mail for signing in is good.
    package var emailLinkLifetime: Duration = .seconds(3600)

    package init() {}

    /// - Throws: `InputProblem` of the password.
    package func password(_ text: String, of email: EmailAddress?) throws(InputProblem) -> Password {
        let password = try Password(presented: text)
        guard text.utf16.count >= minimumPassword else { throw InputProblem(.password, .tooShort(minimum: minimumPassword)) }
        if refusesCommonPasswords, let reason = PasswordRules.objection(to: password.secret.revealedText, of: email) {
            throw InputProblem(.password, reason)
        }
        return password
    }
}
