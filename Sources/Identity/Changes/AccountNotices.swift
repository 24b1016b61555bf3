import Postgres
package import Text

/// Tells the owner of an account what has changed about the ways into it: a mail to the proved address, with a link that undoes the change.
/// Both are entered in the transaction of the change, or neither.
package struct AccountNotices: Sendable {
    /// Changes of one kind that a user is told of in `window`. Those beyond are undone by the link of any of these.
    package static let limit = 5
    package static let window: Duration = .seconds(3600)

    package struct Policy: Sendable {
        /// How long a change can be undone. At least `window`.
        package var lifetime: Duration = .seconds(7 * 86_400)
        /// The link that a code is in; nil where there is no page for it: the mails have none then.
        package var link: (@Sendable (SecretString) -> SecretString)?

        package init(lifetime: Duration = .seconds(7 * 86_400), link: (@Sendable (SecretString) -> SecretString)? = nil) {
            self.lifetime = lifetime
            self.link = link
        }
    }

    let outbox: MailOutbox
    let seal: AccountChangeSeal
    let policy: Policy
    let system: SystemContext

    package init(outbox: MailOutbox, seal: AccountChangeSeal, policy: Policy, system: SystemContext) {
        self.outbox = outbox
        self.seal = seal
        self.policy = policy
        self.system = system
    }

    /// Enters a change of a held account, and the mail that tells of it. An account whose address nobody has proved has no owner to tell.
    /// - Parameters:
    ///   - before: the account before the change.
    ///   - detail: what the mail tells beside.
    /// - Throws: the store's failure.
    func enter(
        _ kind: AccountChange.Kind, of before: AccountState, detail: String, language: Mail.Language,
        in transaction: Transaction
    ) async throws(IdentityError) {
        guard let address = before.user.email, before.user.emailVerified, !before.user.isDisabled else { return }
        var link = SecretString("")
        if let makeLink = policy.link {
            let code = OneTimeCode(random: system.random(OneTimeCode.randomByteCount))
            guard try await record(kind, of: before, code, in: transaction) else { return }
            link = makeLink(code.text)
        }
        try await tell(
            kind.mail, before.user.id, at: address, link: link, detail: detail, language: language,
            in: transaction)
    }

    /// So many changes of an account are looked through for its earlier addresses.
    private static let lookedThrough: Int64 = 100

    /// Whether somebody who had proved another address of the account can put it back to what it was then.
    /// - Throws: the store's failure.
    func canBeUndone(_ held: HeldUser) async throws(IdentityError) -> Bool {
        let parameters: [PostgresValue] = [
            system.statementTime.parameter, .uuid(held.user.id.description), .integer(Self.lookedThrough),
        ]
        let changes = try await mapPostgresErrors { () throws(PostgresError) in
            try await held.query(AccountChangeQueries.undoable, parameters).map { row throws(PostgresError) in
                try AccountChange(row)
            }
        }
        for change in changes {
            let before = try seal.open(change.sealedBefore, of: change.id)
            if before.email?.normalized != held.user.email?.normalized { return true }
        }
        return false
    }

    /// The same for a password that was set, changed or reset: the mail names the providers whose accounts open this one too.
    /// - Throws: the store's failure.
    /// - Parameter identities: the providers that still open the account; nil for those from before.
    func enterPassword(
        of before: AccountState, beside identities: [ExternalIdentity]? = nil, language: Mail.Language,
        in transaction: Transaction
    ) async throws(IdentityError) {
        let providers = identities.map { Set($0.map(\.provider.text)).sorted() } ?? before.waysIn.providers
        try await enter(
            .password, of: before, detail: providers.joined(separator: ", "), language: language,
            in: transaction)
    }

    /// Puts a mail about an account to the others, unless there have been too many of the kind.
    /// - Throws: the store's failure.
    func tell(
        _ kind: Mail.Kind, _ id: UserID, at address: EmailAddress, link: SecretString = SecretString(""), detail: String = "",
        language: Mail.Language, in transaction: Transaction
    ) async throws(IdentityError) {
        let now = system.now()
        let mail = Mail(
            id: system.uuid(), userID: id, kind: kind, recipient: address.normalized, language: language, link: link,
            detail: detail, createdAt: now, expiresAt: now.adding(policy.lifetime))
        // What can be undone is counted as such (`record`): its link is always told.
        try await outbox.add(mail, isCounted: link.isEmpty, in: transaction, at: system.statementTime)
    }

    /// Whether there was room for it.
    private func record(
        _ kind: AccountChange.Kind, of before: AccountState, _ code: OneTimeCode, in transaction: Transaction
    ) async throws(IdentityError) -> Bool {
        let id = system.uuid()
        let parameters: [PostgresValue] = [
            system.statementTime.parameter, .uuid(id.description), .uuid(before.user.id.description), .text(kind.rawValue),
            .bytes(code.digest), .bytes(try seal.seal(before.waysIn, of: id)), .duration(policy.lifetime), .integer(Self.limit),
            .duration(Self.window),
        ]
        return try await mapPostgresErrors { () throws(PostgresError) in
            try await !transaction.query(AccountChangeQueries.insert, parameters).isEmpty
        }
    }
}

extension JobChore {
    /// Deletes the changes that cannot be undone any more.
    package static let sweepChanges = JobChore(every: .seconds(60)) { pool, time throws(PostgresError) in
        _ = try await pool.query(AccountChangeQueries.sweep, [time.parameter, .integer(1000)])
    }
}
