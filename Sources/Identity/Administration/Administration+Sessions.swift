import Text

/// Sessions, of one user or of all.
extension Administration {
    /// The live sessions of a user, the one used last first.
    package func sessions(of id: UserID) async throws(AdministrationError) -> [Session] {
        try await with(.readUsers) { () throws(IdentityError) in try await sessions.list(of: id) }
    }

    /// Ends all sessions of a user, and voids the sign-ins that are under way.
    /// - Throws: `IdentityError.userNotFound`, `overloaded`; `unavailable`: some may live on then, and the call may be repeated.
    package func signOut(_ id: UserID) async throws(AdministrationError) {
        try await with(.endSessions) { () throws(IdentityError) in
            try await changes.change(id, ending: .all(.revoked)) { _ in }
            await note(.allSessionsEnded(.revoked), id)
        }
    }

    /// Ends one session, whosever it is, or finishes an end that has failed half-way.
    /// - Throws: `IdentityError.sessionNotFound` when there is none, or none any more; `unavailable`: it may live on then.
    package func end(_ id: SessionID) async throws(AdministrationError) {
        try await with(.endSessions) { () throws(IdentityError) in
            switch try await sessions.store.record(id, at: system.now()) {
            case .live(let session):
                try await sessions.end(session, reason: .revoked, noting: note(session.clientID))
            case .malformed:
                let owner = try await sessions.store.owner(ofDamaged: id)
                try await sessions.endUnread(id, of: owner, reason: .revoked, noting: note(nil))
            case .ended(let tombstone):
                let (owner, reason) = (tombstone.userID, tombstone.reason)
                guard try await sessions.endUnread(id, of: owner, reason: reason, noting: note(nil)) else {
                    throw .sessionNotFound
                }
            case .missing: throw .sessionNotFound
            }
        }
    }

    /// The sessions that began with a provider, among the next thousand keys of Redis.
    /// - Parameter cursor: nil to begin; else what the last call has returned.
    /// - Returns: the sessions, and the cursor of the next call; nil when this was the last. A session can come more than once.
    package func sessions(
        begunWith provider: ProviderID, from cursor: SessionScanCursor? = nil
    ) async throws(AdministrationError) -> (sessions: [Session], next: SessionScanCursor?) {
        try await with(.readUsers) { () throws(IdentityError) in
            let scan = try await sessions.store.scan(from: cursor)
            var found: [Session] = []
            for id in scan.sessions.values.joined() {
                guard case .live(let session) = try await sessions.store.record(id, at: system.now()),
                    session.provider == provider
                else { continue }
                found.append(session)
            }
            return (found, scan.next)
        }
    }

    private func note(_ clientID: ClientID?) -> SessionEndNote {
        SessionEndNote(actor: actor, clientID: clientID, caller: caller)
    }
}

/// Sessions that nobody has a right to: PostgreSQL does not know their user, or has disabled him. So it is after PostgreSQL has gone back in
/// time beside a Redis that has not, and after Redis has evicted the index that named them.
extension Administration {
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
    ) async throws(AdministrationError) -> (orphans: [Orphan], next: SessionScanCursor?) {
        try await with(.readUsers) { () throws(IdentityError) in
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
    }

    /// Ends all sessions of an orphan.
    /// - Throws: `IdentityError.unavailable`; some may live on then, and the call may be repeated.
    package func endSessions(of orphan: Orphan) async throws(AdministrationError) {
        try await with(.endSessions) { () throws(IdentityError) in
            try await sessions.endAll(of: orphan.userID, reason: orphan.reason)
            for id in orphan.unlisted { try await sessions.endUnread(id, of: orphan.userID, reason: orphan.reason) }
            await note(.allSessionsEnded(orphan.reason), orphan.userID)
        }
    }

    /// Ends those sessions of a user that are among the next thousand keys of Redis, whether an index names them or not; for who has ended the
    /// others. Where Redis has evicted a user's index, nothing else finds them.
    /// - Parameter cursor: nil to begin; else what the last call has returned.
    /// - Returns: how many there were, and the cursor of the next call; nil when this was the last.
    /// - Throws: `IdentityError.unavailable`; some may live on then, and the call may be repeated.
    package func endUnlistedSessions(
        of id: UserID, reason: SessionEnd, from cursor: SessionScanCursor? = nil
    ) async throws(AdministrationError) -> (count: Int, next: SessionScanCursor?) {
        try await with(.endSessions) { () throws(IdentityError) in
            let scan = try await sessions.store.scan(from: cursor)
            let found = scan.sessions[id, default: []]
            for session in found { try await sessions.endUnread(session, of: id, reason: reason) }
            return (found.count, scan.next)
        }
    }
}
