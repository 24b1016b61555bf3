import Postgres
package import Text

/// What an administrator does with users, sessions, clients, mails, limits and keys, by the same rules as everybody. Each action asks for a
/// permission, and what changes something leaves an audit event with the administrator's name.
///
/// A value is made for each command or request.
package struct Administration: Sendable {
    package let administrator: Administrator
    let caller: Caller
    let accounts: Accounts
    let confirmations: Confirmations
    let signingKeys: SigningKeyStore
    let clientTokens: ClientTokens

    let pool: PostgresPool
    let clientStore: ClientStore
    let clientChanges: ClientChanges
    let jobs: JobQueue
    let users: UserStore
    let changes: UserChanges
    let sessions: Sessions
    let limiter: Limiter
    let outbox: MailOutbox
    let audit: AuditLog
    let system: SystemContext

    /// - Parameter caller: whence the administrator asks, for audit events.
    package init(
        accounts: Accounts, confirmations: Confirmations, signingKeys: SigningKeyStore, clientTokens: ClientTokens,
        as administrator: Administrator, caller: Caller
    ) {
        self.administrator = administrator
        self.caller = caller
        self.accounts = accounts
        self.confirmations = confirmations
        self.signingKeys = signingKeys
        self.clientTokens = clientTokens
        pool = accounts.users.pool
        clientStore = ClientStore(pool: pool)
        clientChanges = ClientChanges(redis: accounts.sessions.store.redis, clients: accounts.sessions.clients)
        jobs = JobQueue(pool: pool)
        users = accounts.users
        changes = accounts.changes
        sessions = accounts.sessions
        limiter = accounts.limiter
        outbox = accounts.outbox
        audit = accounts.audit
        system = accounts.system
    }

    /// For what is done elsewhere.
    package func permit(_ permission: Administrator.Permission) throws(AdministrationError) {
        guard administrator.permissions.contains(permission) else { throw .notPermitted(permission) }
    }

    /// Puts on record what the administrator has done.
    package func note(
        _ kind: AuditKind, _ userID: UserID? = nil, client: ClientID? = nil, detail: JSONObject = JSONObject()
    ) async {
        await audit.record(
            AuditEvent(
                id: system.uuid(), time: system.now(), kind: kind, actor: actor, userID: userID, clientID: client,
                address: caller.address, referenceID: caller.referenceID, detail: detail))
    }

    var actor: AuditEvent.Actor { administrator.actor }

    /// Does what takes a permission.
    func with<T>(
        _ permission: Administrator.Permission, _ body: () async throws(IdentityError) -> T
    ) async throws(AdministrationError) -> T {
        try permit(permission)
        do throws(IdentityError) {
            return try await body()
        } catch {
            throw .refused(error)
        }
    }
}
