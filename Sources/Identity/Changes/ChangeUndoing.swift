import Postgres
import Text

/// Undoes changes: puts the ways into an account back to what they were before one, whatever came after it (decision 17).
struct ChangeUndoing: Sendable {
    /// What undoing a change has come to.
    enum Outcome: Sendable {
        case undone(Restored)
        /// Somebody was faster, or the link of an older change has undone this one too.
        case alreadyUndone
    }

    struct Restored: Sendable {
        /// As they are now.
        let user: User
        /// The address that the account had until now, if it is another.
        let replaced: EmailAddress?
        /// Whether the old address is only claimed now, because another account has proved it.
        let isClaimed: Bool
    }

    let pool: PostgresPool
    let changes: UserChanges
    let notices: AccountNotices
    private var system: SystemContext { notices.system }

    /// The change that a code undoes; nil for none, or too late.
    /// - Throws: the store's failure.
    func change(_ code: OneTimeCode) async throws(IdentityError) -> AccountChange? {
        try await mapPostgresErrors { () throws(PostgresError) in
            try await Self.change(pool.query(AccountChangeQueries.byCode, byCode(code)))
        }
    }

    /// Undoes a change and all that are newer, and ends all sessions.
    /// - Throws: `IdentityError.invalidCode` for none, too late, or a user who is barred; `overloaded`, `unavailable`.
    func undo(_ code: OneTimeCode, language: Mail.Language) async throws(IdentityError) -> Outcome {
        guard let seen = try await change(code) else { throw .invalidCode }
        guard !seen.isUndone else { return .alreadyUndone }
        var wasFaster = false
        do throws(IdentityError) {
            return try await changes.change(seen.userID) { held throws(IdentityError) in
                // Once more: whoever came first has had the account until now.
                let change = try await mapPostgresErrors { () throws(PostgresError) in
                    try await Self.change(held.query(AccountChangeQueries.byCode, byCode(code)))
                }
                guard let change, !held.user.isDisabled else { throw .invalidCode }
                guard !change.isUndone else {
                    wasFaster = true
                    throw .invalidCode
                }
                let before = try notices.seal.open(change.sealedBefore, of: change.id)
                let restored = try await restore(held, to: before, change, language)
                return (.undone(restored), .everything(.changesUndone))
            }
        } catch .userNotFound {
            throw .invalidCode
        } catch {
            guard !wasFaster else { return .alreadyUndone }
            throw error
        }
    }

    private func restore(
        _ held: HeldUser, to before: WaysIn, _ change: AccountChange, _ language: Mail.Language
    ) async throws(IdentityError) -> Restored {
        let now = PostgresValue.integer(system.now().milliseconds)
        let id = PostgresValue.uuid(held.user.id.description)
        let state = try await AccountState.hold(held.user.id, in: held.transaction)
        // A change is entered of an account with a proved address only.
        guard let old = before.email else { throw .fault("a change has no address to go back to") }
        let isFree = try await free(old, for: held, at: now)
        let keepsPassword = before.hasPassword(state.passwordHash)
        let identities = PostgresValue.json(String(decoding: before.identities.serialized, as: UTF8.self))
        try await held.run(
            HeldUserQueries.restore,
            [id, .text(old.typed), .text(old.normalized), .bool(keepsPassword), .bool(!isFree)])
        try await held.run(HeldUserQueries.removeNewIdentities, [id, identities])
        try await held.run(HeldUserQueries.restoreIdentities, [id, identities, now])
        try await held.removeConsents()
        try await mapPostgresErrors { () throws(PostgresError) in
            _ = try await held.query(
                AccountChangeQueries.markUndone,
                [system.statementTime.parameter, id, .uuid(change.id.description)])
        }
        let replaced = held.user.email?.normalized == old.normalized ? nil : held.user.email
        // To both: whoever has moved to another mailbox learns what was done from the old one.
        for address in [old, replaced].compactMap(\.self) {
            try await notices.tell(
                .changesUndone, held.user.id, at: address, language: language, in: held.transaction)
        }
        return Restored(user: try await held.changed(), replaced: replaced, isClaimed: !isFree)
    }

    /// Whether a user can have an address back. Who has it without having proved it loses it, and keeps the account.
    private func free(
        _ email: EmailAddress, for held: HeldUser, at now: PostgresValue
    ) async throws(IdentityError) -> Bool {
        guard held.user.email?.normalized != email.normalized || held.user.emailClaimed else { return true }
        return try await mapPostgresErrors { () throws(PostgresError) in
            let holder = try await held.query(
                AccountChangeQueries.holder, [.text(email.normalized), .uuid(held.user.id.description)]
            ).first.map { row throws(PostgresError) in (id: try row.string(0), isProved: try row.bool(1)) }
            guard let holder else { return true }
            guard !holder.isProved else { return false }
            _ = try await held.query(AccountChangeQueries.releaseAddress, [.uuid(holder.id), now])
            return true
        }
    }

    private func byCode(_ code: OneTimeCode) -> [PostgresValue] {
        [system.statementTime.parameter, .bytes(code.digest)]
    }

    private static func change(_ rows: Rows) throws(PostgresError) -> AccountChange? {
        try rows.first.map { row throws(PostgresError) in try AccountChange(row) }
    }
}

extension AccountChange {
    /// - Parameter row: the columns of `AccountChangeQueries`.
    init(_ row: Row) throws(PostgresError) {
        guard let id = UUID(try row.string(0)) else { throw .unexpectedColumn(0) }
        guard let userID = UserID(try row.string(1)) else { throw .unexpectedColumn(1) }
        guard let kind = AccountChange.Kind(rawValue: try row.string(2)) else { throw .unexpectedColumn(2) }
        self.init(
            id: id, userID: userID, kind: kind, createdAt: Timestamp(milliseconds: try row.int64(3)),
            isUndone: try row.bool(4), sealedBefore: try row.bytes(5))
    }
}
