import Networking
package import Postgres
import Text

/// The one place where what opens an account changes: a new password, disabling, deletion, taking back, sign-out everywhere by an operator, an
/// identity unlinked, and whatever else ends sessions because of a user's row.
///
/// The row is held in a transaction, the sessions end in Redis, and then it is committed
/// (docs/decisions/0016-user-changes.md). If a store fails before the commit, nothing has changed, but for sessions that may have
/// ended, and the whole may be repeated; after the commit all of it holds. A process that dies leaves one or the other, too. With the
/// change a job is entered that ends the same sessions again (`SessionEnding`).
package final class UserChanges: Sendable {
    /// How long the sessions may take while the row is held. One command more may follow, and then PostgreSQL still keeps the transaction.
    private static let patience: Duration = .seconds(3)

    private let pool: PostgresPool
    private let sessions: Sessions
    private let limiter: Limiter
    private let codes: OneTimeCodeStore
    private let system: SystemContext
    private let jobs: JobQueue
    private let queue: HoldQueue

    package init(pool: PostgresPool, sessions: Sessions, limiter: Limiter, system: SystemContext) {
        self.pool = pool
        self.sessions = sessions
        self.limiter = limiter
        self.codes = OneTimeCodeStore(redis: sessions.store.redis)
        self.system = system
        jobs = JobQueue(pool: pool)
        queue = HoldQueue(limit: max(1, pool.connectionLimit / 2), loop: pool.loop)
    }

    /// Changes a user.
    ///
    /// - Parameter body: changes the row and what hangs on it through the user it is given, and through nothing else: a query elsewhere
    ///   could wait for the row. It says which sessions end. What it throws undoes all.
    /// - Throws: `IdentityError.userNotFound`, what `body` throws, `overloaded`, `unavailable`.
    func change<T>(
        _ id: UserID, _ body: (HeldUser) async throws(IdentityError) -> (T, SessionsToEnd)
    ) async throws(IdentityError) -> T {
        // No connection is held to find out that Redis is away.
        try await sessions.store.ping()
        let (value, ending) = try await queue.waiting { () throws(IdentityError) in
            try await pool.transaction { transaction throws(IdentityError) in
                guard let held = try await HeldUser.hold(id, in: transaction, at: system.now()) else { throw .userNotFound }
                let (value, ending) = try await body(held)
                if ending.voidsTokens { try await held.voidTokens(before: held.now) }
                let ended = try await end(ending, of: held.user)
                if let kept = ending.kept { try await bringUpToDate(kept, held) }
                // A failover of Redis may lose the end after the commit.
                if !ended.isEmpty {
                    let again = SessionEnding(userID: id, sessions: ended, reason: ending.reason)
                    try await jobs.enter(again.job(system.uuid()), in: transaction, at: system.statementTime)
                }
                return (value, ending)
            }
        }
        // Not before: who has a code and gets a 503 uses it again. It opens nothing any more, see `OneTimeCode.Grant`.
        if ending.voidsCodes { try? await codes.void(of: id) }
        return value
    }

    /// The same where it is known beforehand which sessions end.
    func change<T>(
        _ id: UserID, ending: SessionsToEnd, _ body: (HeldUser) async throws(IdentityError) -> T
    ) async throws(IdentityError) -> T {
        try await change(id) { held throws(IdentityError) in (try await body(held), ending) }
    }

    /// The same for a user as they were when the change was permitted.
    /// - Parameter failure: what is thrown when the user is gone, or what opens the account has changed since.
    func change<T>(
        _ user: User, orThrow failure: IdentityError, ending: SessionsToEnd,
        _ body: (HeldUser) async throws(IdentityError) -> T
    ) async throws(IdentityError) -> T {
        try await change(user, orThrow: failure) { held throws(IdentityError) in (try await body(held), ending) }
    }

    /// The same.
    func change<T>(
        _ user: User, orThrow failure: IdentityError,
        _ body: (HeldUser) async throws(IdentityError) -> (T, SessionsToEnd)
    ) async throws(IdentityError) -> T {
        do throws(IdentityError) {
            return try await change(user.id) { held throws(IdentityError) in
                guard held.isUnchanged(since: user) else { throw failure }
                return try await body(held)
            }
        } catch .userNotFound {
            throw failure
        }
    }

    /// Has the tokens of a session that stays say of the user what is so from now on. Before the commit: nobody could repeat it afterwards.
    private func bringUpToDate(_ kept: SessionID, _ held: HeldUser) async throws(IdentityError) {
        let owner = SessionOwner(try await held.changed())
        guard owner != SessionOwner(held.user) else { return }
        _ = try await sessions.store.update(owner, of: kept)
    }

    /// - Returns: the sessions that have ended.
    private func end(_ ending: SessionsToEnd, of user: User) async throws(IdentityError) -> [SessionID] {
        let deadline = pool.loop.now + Self.patience
        var ended: [SessionID] = []
        switch ending.scope {
        case .none: break
        case .begunWith(let providers):
            for provider in providers {
                ended += try await sessions.endAll(
                    of: user.id, begunWith: provider, reason: ending.reason, except: ending.kept, by: deadline)
            }
        case .all:
            ended = try await sessions.endAll(
                of: user.id, reason: ending.reason, except: ending.last ?? ending.kept, by: deadline)
        }
        if ending.forgetsDevices { try await limiter.forget(user.account) }
        if let last = ending.last {
            try await sessions.endUnread(last, of: user.id, reason: ending.reason)
            ended.append(last)
        }
        return ended
    }
}
