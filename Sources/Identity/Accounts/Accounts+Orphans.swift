/// Sessions that nobody has a right to: PostgreSQL does not know their user, or has disabled him. So it is after PostgreSQL has gone back in
/// time beside a Redis that has not, and after Redis has evicted the index that named them.
extension Accounts {
    /// A user with sessions that should not be.
    package struct Orphan: Equatable, Sendable {
        package let userID: UserID
        /// Those that no index names. All others are found by the user's index.
        let unlisted: [SessionID]
        /// How many there are of both.
        package let sessionCount: Int
        /// Why they are to end.
        package let reason: SessionEnd
    }

    /// One batch of orphans: of those whose indexes and sessions Redis comes across next, which is a thousand keys of any kind.
    /// - Parameter cursor: nil to begin; else what the last batch has returned.
    /// - Returns: the cursor of the next batch; nil when this was the last. A user can be in several, with other sessions in each.
    /// - Throws: `IdentityError.unavailable`.
    package func orphans(
        from cursor: SessionScanCursor? = nil
    ) async throws(IdentityError) -> (orphans: [Orphan], next: SessionScanCursor?) {
        let scan = try await sessions.store.scan(from: cursor)
        let owners = Set(scan.owners)
        let all = owners.union(scan.sessions.keys)
        guard !all.isEmpty else { return ([], scan.next) }
        // After Redis: whoever has a session now has been in PostgreSQL before it began.
        let states = try await users.states(of: Array(all))
        var orphans: [Orphan] = []
        for id in all {
            let reason: SessionEnd
            switch states[id] {
            case .active: continue
            case .disabled: reason = .userDisabled
            case nil: reason = .userDeleted
            }
            let listed = Set(try await sessions.store.ids(of: id))
            let unlisted = scan.sessions[id, default: []].filter { !listed.contains($0) }
            // Counted where the index is found, and nowhere else.
            let count = unlisted.count + (owners.contains(id) ? listed.count : 0)
            if count > 0 { orphans.append(Orphan(userID: id, unlisted: unlisted, sessionCount: count, reason: reason)) }
        }
        return (orphans, scan.next)
    }

    /// Ends all sessions of an orphan, on behalf of an operator.
    /// - Throws: `IdentityError.unavailable`; some may live on then, and the call may be repeated.
    package func endSessions(of orphan: Orphan, caller: Caller) async throws(IdentityError) {
        try await sessions.endAll(of: orphan.userID, reason: orphan.reason)
        for id in orphan.unlisted { try await sessions.end(id, of: orphan.userID, reason: orphan.reason) }
        await note(.allSessionsEnded(orphan.reason), orphan.userID, by: .administrator, nil, caller)
    }

    /// Ends those sessions of a user that are among the next thousand keys of Redis, whether an index names them or not; for who has ended the
    /// others. Where Redis has evicted a user's index, nothing else finds them.
    /// - Parameter cursor: nil to begin; else what the last call has returned.
    /// - Returns: how many there were, and the cursor of the next call; nil when this was the last.
    /// - Throws: `IdentityError.unavailable`; some may live on then, and the call may be repeated.
    package func endUnlistedSessions(
        of id: UserID, reason: SessionEnd, from cursor: SessionScanCursor? = nil
    ) async throws(IdentityError) -> (count: Int, next: SessionScanCursor?) {
        let scan = try await sessions.store.scan(from: cursor)
        let found = scan.sessions[id, default: []]
        for session in found { try await sessions.end(session, of: id, reason: reason) }
        return (found.count, scan.next)
    }
}
