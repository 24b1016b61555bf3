import Networking
import Postgres
package import Text

/// Signs users up and in, and changes, disables and deletes them. Whatever takes a user's rights away ends their sessions before
/// it is answered.
package final class Accounts: Sendable {
    /// What a new user brings.
    package struct SignUp: Sendable {
        package let email: String
        package let password: SecretString
        package let displayName: String?

        package init(email: String, password: SecretString, displayName: String?) {
            self.email = email
            self.password = password
            self.displayName = displayName
        }
    }

    /// What a user changes in their profile; nil leaves a field as it is.
    package struct ProfileChange: Sendable {
        /// Empty text removes the name.
        package var displayName: String?
        /// Empty text removes the picture.
        package var photoURL: String?

        package init() {}
    }

    let users: UserStore
    let identityStore: IdentityStore
    let outbox: MailOutbox
    let notices: AccountNotices
    let undoing: ChangeUndoing
    let sessions: Sessions
    /// Through which all goes that ends sessions because of a user's row.
    let changes: UserChanges
    let hasher: PasswordHasher
    let limiter: Limiter
    let audit: AuditLog
    let metrics: IdentityMetrics
    let system: SystemContext
    package let rules: AccountRules
    /// The providers that sign anybody in: the identities of any other are no way in.
    var providers: Set<ProviderID> { slot.value }
    private let slot: LoopSlot<Set<ProviderID>>
    private let imported = LoopSlot<(hashes: ImportedHashes, at: Instant)?>(nil)
    /// How long the costs of imported hashes are taken for granted. An import makes them change, and the last sign-in of who has one.
    private static let importedLife: Duration = .seconds(10)

    package init(
        users: UserStore, identities: IdentityStore, outbox: MailOutbox, notices: AccountNotices, sessions: Sessions,
        hasher: PasswordHasher, limiter: Limiter, audit: AuditLog, metrics: IdentityMetrics, system: SystemContext,
        providers: Set<ProviderID>, rules: AccountRules = AccountRules()
    ) {
        self.rules = rules
        self.users = users
        self.identityStore = identities
        self.outbox = outbox
        self.notices = notices
        slot = LoopSlot(providers)
        self.sessions = sessions
        changes = UserChanges(pool: users.pool, sessions: sessions, limiter: limiter, system: system)
        undoing = ChangeUndoing(pool: users.pool, changes: changes, notices: notices)
        self.hasher = hasher
        self.limiter = limiter
        self.audit = audit
        self.metrics = metrics
        self.system = system
    }

    /// Replaces the providers that sign anybody in; on its own loop.
    package func use(_ providers: Set<ProviderID>) {
        slot.value = providers
    }

    /// What every check of a password takes upon itself, so that its time does not tell who has been imported.
    /// - Throws: the store's failure.
    func importedHashes() async throws(IdentityError) -> ImportedHashes? {
        guard hasher.hidesImported else { return nil }
        let now = users.pool.loop.now
        if let known = imported.value, now.since(known.at) < Self.importedLife { return known.hashes }
        let hashes = try await users.importedHashes(within: hasher.importedLimits)
        imported.value = (hashes, now)
        return hashes
    }

    /// Everything that is wrong with what a new user brings; what is nil is not looked at.
    package static func objections(email: String?, password: SecretString?, displayName: String?) -> [InputProblem] {
        var problems: [InputProblem] = []
        _ = read(email, password, displayName, &problems)
        return problems
    }

    /// What a new user brings, as far as nothing is wrong with it.
    private static func read(
        _ email: String?, _ password: SecretString?, _ displayName: String?, _ problems: inout [InputProblem]
    ) -> (EmailAddress?, Password?, DisplayName?) {
        let address = email.flatMap { text in collect(&problems) { () throws(InputProblem) in try EmailAddress(text) } }
        let chosen = password.flatMap { password in
            collect(&problems) { () throws(InputProblem) in try Password(chosen: password.revealedText, for: address) }
        }
        let name = displayName.flatMap { name in collect(&problems) { () throws(InputProblem) in try DisplayName(name) } }
        return (address, chosen, name ?? nil)
    }

    /// Makes a user, who has proved who they are by that.
    /// - Throws: `IdentityError.invalidInput` with all problems, `emailTaken`, `clientNotPermitted`, `tooManyRequests`, `overloaded`,
    ///   `unavailable`.
    package func signUp(
        _ request: SignUp, username: Username? = nil, client: Client, permit: SignUpPermit? = nil, caller: Caller
    ) async throws(IdentityError) -> Authentication {
        let user = try await register(request, username: username, client: client, permit: permit, caller: caller)
        return Authentication(of: user, by: [.password], at: system.now(), occasion: .signUp)
    }

    /// The present state of a user.
    /// - Throws: `IdentityError.userNotFound`, `unavailable`.
    package func user(_ id: UserID) async throws(IdentityError) -> User {
        try await users.user(id)
    }

    /// - Throws: `IdentityError.invalidInput`, `userNotFound`, `unavailable`.
    package func change(_ id: UserID, _ change: ProfileChange, caller: Caller) async throws(IdentityError) -> User {
        var problems: [InputProblem] = []
        var displayName = FieldChange<DisplayName>.keep
        var photoURL = FieldChange<PhotoURL>.keep
        collect(&problems) { () throws(InputProblem) in
            if let text = change.displayName { displayName = .set(try DisplayName(text)) }
        }
        collect(&problems) { () throws(InputProblem) in
            if let text = change.photoURL { photoURL = .set(text.isEmpty ? nil : try PhotoURL(text)) }
        }
        guard problems.isEmpty else { throw .invalidInput(problems) }
        let changed = try await users.updateProfile(
            of: id, displayName: displayName, photoURL: photoURL, at: system.now())
        await note(.userUpdated, id, by: .user(id), nil, caller)
        return changed
    }

    /// Sets a new password and ends the user's sessions, but for one that is to stay.
    /// - Throws: `IdentityError.invalidInput`, `userNotFound`, `overloaded`, `unavailable`; `invalidCredentials` when somebody else was
    ///   faster.
    package func replacePassword(
        of id: UserID, with text: SecretString, keeping session: SessionID?, caller: Caller
    ) async throws(IdentityError) {
        try await replacePassword(of: try await users.user(id), with: text, keeping: session, caller: caller)
    }

    /// The same for a user as they were when they were permitted to. The hash takes its time, in which the account may go to somebody else.
    func replacePassword(
        of user: User, with text: SecretString, keeping session: SessionID?, caller: Caller
    ) async throws(IdentityError) {
        let hash = try await hash(ofNew: text, for: user, caller)
        let ending = SessionsToEnd.all(.passwordChanged, except: session, forgettingDevices: true)
        try await changes.change(user, orThrow: .invalidCredentials, ending: ending) { held throws(IdentityError) in
            let before = try await AccountState.hold(user.id, in: held.transaction)
            try await held.setPassword(hash)
            try await notices.enterPassword(of: before, language: caller.language(), in: held.transaction)
        }
        outbox.ring()
        await note(.passwordChanged, user.id, by: .user(user.id), nil, caller)
    }

    /// Bars a user from signing in, and ends all their sessions.
    /// - Throws: `IdentityError.userNotFound`, `overloaded`, `unavailable`.
    package func disable(
        _ id: UserID, by actor: AuditEvent.Actor, caller: Caller
    ) async throws(IdentityError) {
        try await changes.change(id, ending: .everything(.userDisabled)) { held throws(IdentityError) in
            try await held.disable()
        }
        await note(.userDisabled, id, by: actor, nil, caller)
    }

    /// Deletes a user and all their data.
    ///
    /// - Parameters:
    ///   - session: the one that asks. It ends last, so that it can ask again if another cannot be ended.
    ///   - actor: who deletes; nil for the user.
    /// - Throws: `IdentityError.userNotFound`, `overloaded`, `unavailable`.
    package func delete(
        _ id: UserID, from session: SessionID? = nil, by actor: AuditEvent.Actor? = nil, caller: Caller
    ) async throws(IdentityError) {
        try await changes.change(id, ending: .everything(.userDeleted, last: session)) { held throws(IdentityError) in
            try await held.delete()
        }
        await note(.userDeleted, id, by: actor ?? .user(id), nil, caller)
    }

    func note(
        _ kind: AuditKind, _ userID: UserID?, by actor: AuditEvent.Actor, _ client: Client?, session: SessionID? = nil,
        _ caller: Caller, detail: JSONObject = JSONObject()
    ) async {
        await audit.record(
            AuditEvent(
                id: system.uuid(), time: system.now(), kind: kind, actor: actor, userID: userID, clientID: client?.id,
                sessionID: session, address: caller.address, referenceID: caller.referenceID,
                detail: detail))
    }

    static func checked(_ request: SignUp) throws(IdentityError) -> (EmailAddress, Password, DisplayName?) {
        var problems: [InputProblem] = []
        let (email, password, name) = read(request.email, request.password, request.displayName, &problems)
        guard problems.isEmpty, let email, let password else { throw .invalidInput(problems) }
        return (email, password, name)
    }
}

/// What an installation has decided about accounts.
package struct AccountRules: Equatable, Sendable {
    /// How long after signing in a user may do what changes the ways in, without proving once more who they are.
    package var recentSignIn: Duration = .seconds(5 * 60)
    /// Whether a sign-up answers the same for every address, and the mail says the rest. A password signs in only who has confirmed the address then.
    package var signsUpByMail = false

    /// Of a user's custom claims, in bytes of their JSON text.
    package var claimsLimit = CustomClaims.standardLimit
    /// How many roles a user may have.
    package var rolesLimit = Roles.standardLimit

    package init() {}

    /// Whether a sign-in counts as a recent one. Who signed in at another copy may have done so in the future, by our clock.
    package func isRecent(_ authenticatedAt: Timestamp, at now: Timestamp) -> Bool {
        now.duration(since: authenticatedAt) <= recentSignIn
    }
}
