/// Sessions that nobody has a right to: PostgreSQL does not know their user, or has disabled him. So it is after PostgreSQL has gone back in
/// time beside a Redis that has not.
extension Accounts {
    /// A user with sessions that should not be.
    package struct Orphan: Equatable, Sendable {
        package let userID: UserID
        /// How many his index names.
        package let sessionCount: Int
        /// Why they are to end.
        package let reason: SessionEnd
    }

    /// One batch of orphans: of those whose indexes Redis comes across next, which is a thousand keys of any kind.
    /// - Parameter cursor: nil to begin; else what the last batch has returned.
    /// - Returns: the cursor of the next batch; nil when this was the last. A user can be in several.
    /// - Throws: `IdentityError.unavailable`.
    package func orphans(
        from cursor: SessionScanCursor? = nil
    ) async throws(IdentityError) -> (orphans: [Orphan], next: SessionScanCursor?) {
        let (owners, next) = try await sessions.store.owners(from: cursor)
        guard !owners.isEmpty else { return ([], next) }
        // After Redis: whoever has a session now has been in PostgreSQL before it began.
        let states = try await users.states(of: owners)
        var orphans: [Orphan] = []
        for id in owners {
            let reason: SessionEnd
            switch states[id] {
            case .active: continue
            case .disabled: reason = .userDisabled
            case nil: reason = .userDeleted
            }
            let count = try await sessions.store.ids(of: id).count
            if count > 0 { orphans.append(Orphan(userID: id, sessionCount: count, reason: reason)) }
        }
        return (orphans, next)
    }

    /// Ends all sessions of an orphan, on behalf of an operator.
    /// - Throws: `IdentityError.unavailable`; some may live on then, and the call may be repeated.
    package func endSessions(of orphan: Orphan, caller: Caller) async throws(IdentityError) {
        try await sessions.endAll(of: orphan.userID, reason: orphan.reason)
        await note(.allSessionsEnded(orphan.reason), orphan.userID, by: .administrator, nil, caller)
    }
}
