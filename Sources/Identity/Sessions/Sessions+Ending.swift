import Crypto
package import Networking
import Redis
package import Text

/// What is put on record of the end of a session.
struct SessionEndNote: Sendable {
    let actor: AuditEvent.Actor
    /// `nil` if nobody remembers.
    let clientID: ClientID?
    let caller: Caller
}

extension Sessions {
    /// Ends a session if it is the user's: when this returns, none of its tokens is good. One whose end was begun before and
    /// has failed half-way is ended now; for one that somebody else ends at the same time, or has ended shortly before, nothing is left to do.
    /// - Throws: `IdentityError.sessionNotFound` when there is none, or none any more whose end is remembered; `unavailable`: it may
    ///   live on then.
    package func end(_ id: SessionID, of userID: UserID, reason: SessionEnd, caller: Caller) async throws(IdentityError) {
        _ = try await ending(id, of: userID, reason: reason, caller: caller)
    }

    /// The same.
    /// - Returns: whether it was not over already when it was looked at.
    func ending(
        _ id: SessionID, of userID: UserID, reason: SessionEnd, caller: Caller
    ) async throws(IdentityError) -> Bool {
        let seen: Session?
        switch try await store.record(id, at: system.now()) {
        case .live(let session) where session.userID == userID: seen = session
        case .ended(let tombstone) where tombstone.userID == userID: seen = nil
        case .malformed:
            // The index still says whose it is.
            guard try await store.ids(of: userID).contains(id) else { throw .sessionNotFound }
            seen = nil
        case .live, .ended, .missing: throw .sessionNotFound
        }
        let note = SessionEndNote(actor: .user(userID), clientID: seen?.clientID, caller: caller)
        guard let seen else { return try await endUnread(id, of: userID, reason: reason, noting: note) }
        try await end(seen, reason: reason, noting: note)
        return true
    }

    /// Ends the session of a refresh token; of a further grant's, the grant. One that is none, or no longer one, has nothing left to end.
    /// - Throws: `IdentityError.unavailable`; the session may live on then.
    package func signOut(_ token: SecretString, caller: Caller) async throws(IdentityError) {
        do throws(IdentityError) {
            let holder = try await holder(of: token)
            if case .live(let session, _, let token) = holder, token.grant != .first {
                return try await endGrant(
                    token.grant, in: session.id, of: session.userID, client: holder.clientID, by: .user(session.userID), caller)
            }
            try await end(holder, reason: .signedOut, by: .user(holder.userID), caller)
        } catch .invalidRefreshToken {
            return
        }
    }

    /// Ends all sessions of a user, but for one that is to stay: those that are, and those that are just beginning. Where they end because
    /// of the user's row, `UserChanges` calls this.
    /// - Parameter deadline: when to give up; nil for never.
    /// - Returns: those that have ended.
    /// - Throws: `IdentityError.unavailable`; some may live on then, and the call may be repeated.
    @discardableResult
    package func endAll(
        of userID: UserID, reason: SessionEnd, except kept: SessionID? = nil, by deadline: Instant? = nil
    ) async throws(IdentityError) -> [SessionID] {
        let ids = try await store.ids(of: userID).filter { $0 != kept }
        for id in ids {
            try check(deadline)
            try await endUnread(id, of: userID, reason: reason)
        }
        return ids
    }

    /// Ends the sessions of a user that began with a provider's proof, but for one that is to stay. Those whose record is missing or damaged end too,
    /// since nobody can tell how they began.
    /// - Returns: those that have ended.
    /// - Throws: `IdentityError.unavailable`; some may live on then, and the call may be repeated.
    @discardableResult
    package func endAll(
        of userID: UserID, begunWith provider: ProviderID, reason: SessionEnd, except kept: SessionID? = nil,
        by deadline: Instant? = nil
    ) async throws(IdentityError) -> [SessionID] {
        var ended: [SessionID] = []
        for id in try await store.ids(of: userID) where id != kept {
            try check(deadline)
            switch try await store.record(id, at: system.now()) {
            case .live(let session) where session.provider != provider: continue
            case .live, .ended, .missing, .malformed:
                try await endUnread(id, of: userID, reason: reason)
                ended.append(id)
            }
        }
        return ended
    }

    private func check(_ deadline: Instant?) throws(IdentityError) {
        if let deadline, store.redis.loop.now > deadline { throw .unavailable(retryAfter: .seconds(1)) }
    }

    /// Ends the session that a verified refresh token belongs to, or what is left of it.
    func end(
        _ holder: RefreshTokenHolder, reason: SessionEnd, by actor: AuditEvent.Actor, _ caller: Caller
    ) async throws(IdentityError) {
        let note = SessionEndNote(actor: actor, clientID: holder.clientID, caller: caller)
        switch holder {
        case .live(let session, _, _): try await end(session, reason: reason, noting: note)
        case .ended(let id, let userID, _): try await endUnread(id, of: userID, reason: reason, noting: note)
        }
    }

    /// Keeps the number of a user's sessions within the limit. Not worth failing a sign-in for: the next one tries again.
    /// - Parameter isSignIn: whether the user has signed in for the newest.
    func endExcess(sparing newest: Session, isSignIn: Bool, _ caller: Caller) async {
        let userID = newest.userID
        // The index names also those that nobody has used for long enough; they do not count.
        guard let live = try? await store.sessions(of: userID, at: system.now()) else { return }
        for session in SessionExcess.sessions(of: live, newest: newest, isSignIn: isSignIn, limit: limitPerUser) {
            let note = SessionEndNote(actor: .system, clientID: session.clientID, caller: caller)
            guard (try? await end(session, reason: .revoked, noting: note)) != nil else { return }
        }
    }

    /// Ends a session that has just been read, in one step: it may be killed at any time and leaves nothing undone. One that has changed meanwhile
    /// ends in two.
    func end(_ session: Session, reason: SessionEnd, noting note: SessionEndNote) async throws(IdentityError) {
        do throws(IdentityError) {
            if try await endUnchanged(session, reason, note) { return }
            try await endUnread(
                session.id, of: session.userID, reason: reason, noting: note, reading: session.listedTokens)
        } catch {
            if error != .internalFault { followUp(session.id, of: session.userID, note) }
            throw error
        }
    }

    /// How many unanswered ends are followed up at once, on each loop.
    private static let unansweredLimit = 1000
    /// How often each of them is looked at, a second apart.
    private static let followUps = 10

    /// Puts an end on record whose answer was lost, if it is done: who asked for it may have no other way to come back than by what has ended. A session
    /// that lives is left alone.
    private func followUp(_ id: SessionID, of userID: UserID, _ note: SessionEndNote) {
        guard unansweredEnds.value < Self.unansweredLimit else { return }
        unansweredEnds.value += 1
        let loop = store.redis.loop
        Task(executorPreference: loop) { [self] in
            defer { unansweredEnds.value -= 1 }
            for _ in 0..<Self.followUps {
                await loop.sleep(for: .seconds(1))
                do throws(IdentityError) {
                    guard case .ended(let tombstone) = try await store.record(id, at: system.now()) else { return }
                    try await endUnread(id, of: userID, reason: tombstone.reason, noting: note)
                    return
                } catch {
                    continue
                }
            }
        }
    }

    /// - Returns: false if it has changed, or is not to be ended so.
    private func endUnchanged(
        _ session: Session, _ reason: SessionEnd, _ note: SessionEndNote
    ) async throws(IdentityError) -> Bool {
        let (listed, now) = (session.listedTokens, system.now())
        // To the script, no record means any. Clients that are told of the end are known until it is finished: that needs two steps.
        guard !session.record.isEmpty, !reason.outlivesTombstone,
            await logouts?.isHeard(by: session.grants.map(\.clientID)) != true
        else { return false }
        // A session ends also where nobody may read its tokens.
        guard let records = try? await tokens.records(listed) else { return false }
        let entry = try await mapServiceFailures { () throws(ServiceFailure) in
            try await tokens.revocationEntry(
                for: listed, known: Dictionary(zip(listed, records)) { first, _ in first },
                of: .session(session.id, of: session.userID), isNews: true)
        }
        do throws(IdentityError) {
            let isDone = try await tokens.forgetting(listed) { () throws(IdentityError) in
                try await store.end(unchanged: session, reason: reason, telling: entry, at: now)
            }
            guard isDone else { return false }
        } catch {
            // Redis refuses this script: the end in two steps does as much as it may. After any other failure it may be done: who repeats it puts it on
            // record.
            guard error == .internalFault else { throw error }
            return false
        }
        await audit.record(
            AuditEvent(endOf: session.id, of: session.userID, reason: reason, at: session.time(at: now), note))
        return true
    }

    /// Ends a session whose id is from our own tokens and indexes, whatever its record says, in two steps: when this returns, none of its tokens is
    /// good. Whatever a failure leaves undone, a repeated call does; the index names the session until all is done.
    ///
    /// Whether the end may still have to be put on record says the tombstone. It says so until somebody has come back: of several at once, or one
    /// after the other, each writes the same event, which is there once.
    /// - Parameters:
    ///   - userID: nil if nobody knows, because the record is damaged.
    ///   - note: nil where the caller puts something else on record, or nothing.
    ///   - listed: access tokens that it was seen to have.
    ///   - records: what was kept of its access tokens, where they have been deleted already.
    /// - Returns: whether it was still to be finished.
    @discardableResult
    func endUnread(
        _ id: SessionID, of userID: UserID?, reason: SessionEnd, noting note: SessionEndNote? = nil,
        reading listed: [AccessTokenHash] = [], knowing records: [[UInt8]] = []
    ) async throws(IdentityError) -> Bool {
        let reply = try await store.end(id, reason: reason, isRecorded: note != nil, reading: listed, at: system.now())
        let entry = try await mapServiceFailures { () throws(ServiceFailure) in
            try await tokens.revocationEntry(
                for: reply.revoked, known: reply.records, deleted: records, of: .session(id, of: userID),
                isNews: reply.isUnfinished)
        }
        let news = note.flatMap { note in
            reply.unrecordedSince.map { AuditEvent(endOf: id, of: userID, reason: reason, at: $0, note) }
        }
        let isFirst: Bool
        do throws(IdentityError) {
            isFirst = try await tokens.forgetting(reply.revoked) { () throws(IdentityError) in
                try await store.finishEnd(
                    of: id, of: userID, deleting: reply.revoked, telling: entry, isRecorded: news != nil)
            }
        } catch {
            // The session is over, and the client may never repeat its request. Without an answer the rest may be done, too.
            await tell(reply.clients, of: id, userID)
            if let news, error != .internalFault { await audit.record(news) }
            throw error
        }
        if isFirst { await tell(reply.clients, of: id, userID) }
        if let news { await audit.record(news) }
        return isFirst
    }

    private func tell(_ clients: [ClientID], of id: SessionID, _ userID: UserID?) async {
        guard let userID, !clients.isEmpty else { return }
        await logouts?.enter(endOf: id, of: userID, for: clients)
    }
}

extension AuditEvent {
    /// The one event of the end of a session: whoever makes it gives it the same id.
    fileprivate init(endOf id: SessionID, of userID: UserID?, reason: SessionEnd, at end: Timestamp, _ note: SessionEndNote) {
        self.init(.sessionEnded(reason), "session_ended:\(id)", id, of: userID, at: end, note)
    }

    /// The same of a grant.
    init(endOf grant: GrantID, in id: SessionID, of userID: UserID, at end: Timestamp, _ note: SessionEndNote) {
        self.init(.grantEnded, "grant_ended:\(id):\(grant.number)", id, of: userID, at: end, note)
    }

    private init(
        _ kind: AuditKind, _ name: String, _ id: SessionID, of userID: UserID?, at end: Timestamp, _ note: SessionEndNote
    ) {
        self.init(
            id: UUID(version7At: end, random: Array(SHA256.hash(name).bytes.prefix(10))), time: end, kind: kind,
            actor: note.actor, userID: userID, clientID: note.clientID, sessionID: id, address: note.caller.address,
            referenceID: note.caller.referenceID)
    }
}
