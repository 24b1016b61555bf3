package import Redis
package import Text

/// The sessions in Redis: a record and perhaps a list of access tokens each, in one slot, and one index a user.
package struct SessionStore: Sendable {
    let redis: RedisConnection
    private let policy: RefreshPolicy
    private let clock: ScriptClock
    /// How far its clock was ahead of ours when it last told.
    private let lead = LoopSlot(Duration.zero)

    private static let begin = TimedScript(name: "begin_session", source: BeginSessionScript.source)
    private static let refresh = TimedScript(name: "refresh_session", source: RefreshSessionScript.source)
    private static let end = TimedScript(name: "end_session", source: EndSessionScript.source, whenFull: true)
    private static let touch = TimedScript(name: "touch_session", source: TouchSessionScript.source, whenFull: true)
    private static let list = TimedScript(name: "list_access_token", source: ListAccessTokenScript.source)
    private static let addGrant = TimedScript(name: "add_grant", source: AddGrantScript.source)
    // These ask for no time.
    private static let endGrant = RedisScript(name: "end_grant", source: EndGrantScript.source, whenFull: true)
    private static let changeCookie = RedisScript(name: "change_cookie", source: ChangeCookieScript.source)
    private static let dropCookie = RedisScript(name: "drop_cookie", source: DropCookieScript.source)
    private static let updateOwner = RedisScript(name: "update_owner", source: UpdateOwnerScript.source)
    private static let endUnchanged = RedisScript(
        name: "end_unchanged_session", source: EndUnchangedSessionScript.source, whenFull: true)
    private static let finishEnd = RedisScript(name: "finish_end", source: FinishEndScript.source, whenFull: true)
    private static let strike = RedisScript(name: "strike_access_tokens", source: StrikeAccessTokensScript.source, whenFull: true)

    /// - Parameter clock: whose time counts.
    package init(redis: RedisConnection, policy: RefreshPolicy, clock: ScriptClock) {
        self.redis = redis
        self.policy = policy
        self.clock = clock
    }

    /// - Throws: the store's failure.
    func ping() async throws(IdentityError) {
        _ = try await send(RedisCommand("PING"))
    }

    /// Begins a session, and returns it as it is kept, and how many the user has now; nil when something is there in its place.
    /// - Parameters:
    ///   - now: by our clock; by it the session is dated, and moved to the clock of who keeps it.
    ///   - mint: makes its first access token for the session as it is dated there; nil for none. It is called once more where we were mistaken about
    ///     the time.
    /// - Throws: what `mint` throws; the store's failure.
    func begin(
        _ session: Session, idle: Duration, at now: Timestamp,
        minting mint: (Session) throws(IdentityError) -> NewAccessToken?
    ) async throws(IdentityError) -> (session: Session, count: Int)? {
        for _ in 0..<2 {
            let time = now.adding(clock == .redis ? lead.value : .zero)
            let dated = session.moved(to: time, from: now)
            let token = try mint(dated)
            var keys = [SessionRecord.key(session.id), SessionIndex.key(session.userID)]
            if let token, token.record != nil { keys.append(token.issued.hash.key) }
            let arguments = BeginSessionScript.arguments(dated, idle: idle, accessToken: token, at: time)
            let reply = try await run(Self.begin[clock], keys, arguments)
            guard let parts = reply.elements, parts.count == 3,
                let outcome = parts[0].text.flatMap({ BeginSessionScript.Outcome(rawValue: $0) }),
                let count = parts[1].integerValue, let told = parts[2].integerValue
            else { throw .fault() }
            // The way there takes time too: the least is the nearest.
            let ahead = Timestamp(milliseconds: told).duration(since: now)
            if outcome == .clock || ahead < lead.value { lead.value = ahead }
            switch outcome {
            case .begun: return (dated, Int(count))
            case .over: return nil
            case .clock: continue
            }
        }
        // A clock that jumps about.
        throw .unavailable(retryAfter: .seconds(1))
    }

    /// - Throws: the store's failure.
    package func record(_ id: SessionID, at now: Timestamp) async throws(IdentityError) -> SessionRecord {
        try await records([id], at: now)[0]
    }

    /// Reads records and, in the same round trip, Redis's time.
    private func records(_ ids: [SessionID], at now: Timestamp) async throws(IdentityError) -> [SessionRecord] {
        guard !ids.isEmpty else { return [] }
        let reading = ids.map { RedisCommand("GET", SessionRecord.key($0)) }
        var replies = try await send(reading + (clock == .redis ? [RedisCommand("TIME")] : []))
        var lead = Duration.zero
        if clock == .redis {
            guard let time = replies.popLast().flatMap({ Timestamp(redisTime: $0) }) else { throw .fault() }
            lead = time.duration(since: now)
        }
        return zip(ids, replies).map { SessionRecord($0, $1.bytes, lead: lead) }
    }

    /// Lists one more access token of a grant.
    /// - Returns: the tokens that are too many; nil when the session or the grant is over.
    /// - Throws: the store's failure.
    func list(
        _ token: IssuedAccessToken, of grant: GrantID, in id: SessionID, at now: Timestamp
    ) async throws(IdentityError) -> [AccessTokenHash]? {
        let reply = try await run(
            Self.list[clock], Self.keys(id), ListAccessTokenScript.arguments(token, in: grant, at: now))
        return try reply.bytes.map { bytes throws(IdentityError) in try Self.hashes(bytes) }
    }

    /// Adds a grant with its first access token, if it has one.
    /// - Returns: the tokens that are too many; nil when the session is over.
    /// - Throws: `IdentityError.overloaded` when the session has as many grants as it may; the store's failure.
    func add(
        _ grant: Grant, to session: Session, idle: Duration, accessToken: IssuedAccessToken?, at now: Timestamp
    ) async throws(IdentityError) -> [AccessTokenHash]? {
        let reply = try await run(
            Self.addGrant[clock], Self.keys(session.id),
            AddGrantScript.arguments(grant, in: session, idle: idle, accessToken: accessToken, at: now))
        if reply.text == "full" { throw .overloaded(retryAfter: .seconds(60)) }
        return try reply.bytes.map { bytes throws(IdentityError) in try Self.hashes(bytes) }
    }

    /// Ends a grant; its access tokens are for the caller to delete and to strike.
    /// - Parameter now: by which the end is to be put on record; nil if it is not.
    /// - Returns: also when it ended, if that may still have to be put on record.
    /// - Throws: the store's failure.
    func end(
        _ grant: GrantID, in id: SessionID, notedAt now: Timestamp?
    ) async throws(IdentityError) -> (EndGrantScript.Outcome, revoked: [AccessTokenHash], unrecordedSince: Timestamp?) {
        let keys = Self.keys(id)
        let arguments = SessionScript.arguments(grant.number, now?.milliseconds ?? 0)
        let reply = try await mapRedisErrors { () throws(RedisError) in
            try await redis.runLasting(Self.endGrant, keys: keys, arguments: arguments)
        }
        guard let parts = reply.elements, parts.count == 3,
            let outcome = parts[0].text.flatMap({ EndGrantScript.Outcome(rawValue: $0) }), let hashes = parts[1].bytes,
            let since = parts[2].integerValue
        else { throw .fault() }
        return (outcome, try Self.hashes(hashes), since == 0 ? nil : Timestamp(milliseconds: since))
    }

    /// Decides about a verified refresh token and writes the outcome, and its access token if the request has the record.
    /// - Throws: the store's failure.
    func refresh(
        _ request: RefreshSessionScript.Request, idle: Duration, at now: Timestamp
    ) async throws(IdentityError) -> RefreshSessionScript.Reply {
        guard let reply = try await refresh(request, counting: nil, idle: idle, at: now).reply else { throw .fault() }
        return reply
    }

    /// The same, once the attempt has been counted, which happens in the same step.
    /// - Parameter charge: nil for nothing; else the request has a record.
    /// - Returns: nil instead of a reply where a budget is used up; what `LimitScript` says of the budgets.
    /// - Throws: the store's failure.
    func refresh(
        _ request: RefreshSessionScript.Request, counting charge: Limiter.Charge?, idle: Duration, at now: Timestamp
    ) async throws(IdentityError) -> (reply: RefreshSessionScript.Reply?, verdicts: [UInt8]) {
        var arguments = RefreshSessionScript.arguments(request, policy: policy, idle: idle, budget: charge?.own, at: now)
        var keys = Self.keys(request.sessionID)
        if request.record != nil { keys.append(request.accessToken.hash.key) }
        if let charge {
            keys += charge.keys
            arguments.append(charge.packed)
        }
        let reply = try await run(Self.refresh[clock], keys, arguments)
        guard let parts = reply.elements, (5...6).contains(parts.count), let outcome = parts[0].text,
            let generation = parts[1].integerValue, let revoked = parts[2].bytes, let reason = parts[3].bytes,
            let verdicts = parts[4].bytes
        else { throw .fault() }
        if outcome == "limited" { return (nil, verdicts) }
        guard
            let decided = RefreshSessionScript.Reply(
                outcome: outcome, generation: generation, revoked: revoked, reason: reason,
                records: parts.dropFirst(5).first?.elements?.compactMap(\.bytes) ?? [])
        else { throw .fault() }
        return (decided, verdicts)
    }

    /// Marks a cookie session as used, and returns when it was used last; `nil` when it is over.
    /// - Throws: the store's failure.
    func touch(_ id: SessionID, at now: Timestamp) async throws(IdentityError) -> Timestamp? {
        let reply = try await run(Self.touch[clock], [SessionRecord.key(id)], TouchSessionScript.arguments(at: now))
        guard let used = reply.integerValue else { throw .fault() }
        return used > 0 ? Timestamp(milliseconds: used) : nil
    }

    /// Gives the cookies of a session another salt; false when the session is over.
    /// - Throws: the store's failure.
    func changeCookie(of id: SessionID, _ salt: SessionSalt) async throws(IdentityError) -> Bool {
        try await run(Self.changeCookie, [SessionRecord.key(id)], [salt.bytes]).integerValue == 1
    }

    /// Takes its cookie from a session; false when the session is over, or has no grants: it keeps it then.
    /// - Throws: the store's failure.
    func dropCookie(of id: SessionID) async throws(IdentityError) -> Bool {
        try await run(Self.dropCookie, [SessionRecord.key(id)], []).integerValue == 1
    }

    /// Replaces what tokens say of the user; false when the session is over.
    /// - Throws: the store's failure.
    func update(_ owner: SessionOwner, of id: SessionID) async throws(IdentityError) -> Bool {
        try await run(Self.updateOwner, [SessionRecord.key(id)], [owner.packed]).integerValue == 1
    }

    /// Ends a session; its access tokens are for the caller to delete.
    /// - Parameters:
    ///   - isRecorded: whether the end is to be put on record.
    ///   - listed: access tokens that it was seen to have: what is kept of them is read in the same step.
    /// - Throws: the store's failure.
    func end(
        _ id: SessionID, reason: SessionEnd, isRecorded: Bool = false, reading listed: [AccessTokenHash] = [], at now: Timestamp
    ) async throws(IdentityError) -> EndSessionScript.Reply {
        let arguments = EndSessionScript.arguments(reason: reason, isRecorded: isRecorded, at: now)
        let reply = try await mapRedisErrors { () throws(RedisError) in
            do throws(RedisError) {
                return try await redis.runLasting(
                    Self.end[clock], keys: Self.keys(id) + listed.map(\.key), arguments: arguments)
            } catch .refused where !listed.isEmpty {
                // The session ends, even where nobody may read its tokens.
                return try await redis.runLasting(Self.end[clock], keys: Self.keys(id), arguments: arguments)
            }
        }
        guard let parts = reply.elements, parts.count == 6, let outcome = parts[0].text, let user = parts[1].bytes,
            let revoked = parts[2].bytes, let unrecorded = parts[3].integerValue, let record = parts[4].bytes,
            let read = parts[5].elements, read.isEmpty || read.count == listed.count
        else { throw .fault() }
        var clients: [ClientID] = []
        if case .live(let session) = SessionRecord(id, record) { clients = session.grants.map(\.clientID) }
        guard
            let ended = EndSessionScript.Reply(
                outcome: outcome, user: user, revoked: revoked, unrecorded: unrecorded, isUnfinished: !record.isEmpty,
                clients: clients,
                records: zip(listed, read).map { ($0, $1.bytes) })
        else { throw .fault() }
        return ended
    }

    /// Ends a session and finishes its end, in one step.
    /// - Parameter entry: what is told of the end.
    /// - Returns: false if it is not what was read any more; then nothing has happened.
    /// - Throws: the store's failure.
    func end(
        unchanged session: Session, reason: SessionEnd, telling entry: RevocationLog.Entry?, at now: Timestamp
    ) async throws(IdentityError) -> Bool {
        let stream = entry == nil ? [] : [RevocationLog.key]
        let keys =
            Self.keys(session.id) + [SessionIndex.key(session.userID)] + stream + session.listedTokens.map(\.key)
        let arguments = EndUnchangedSessionScript.arguments(
            session, reason: reason, isTold: entry != nil, at: session.time(at: now))
        let reply = try await mapRedisErrors { () throws(RedisError) in
            try await redis.runLasting(Self.endUnchanged, keys: keys, arguments: arguments + (entry?.words ?? [])) { reply in
                if case .null = reply { return nil }
                // Another server may have another record.
                return [[]] + arguments.dropFirst() + (entry?.repeated(after: reply).words ?? [])
            }
        }
        if case .null = reply { return false }
        return true
    }

    /// The ids in a user's index, the one that lasts longest first.
    /// - Throws: the store's failure.
    func ids(of userID: UserID) async throws(IdentityError) -> [SessionID] {
        let command = RedisCommand("ZREVRANGE", SessionIndex.key(userID), "0", "-1")
        guard let elements = try await send(command).elements else { throw .fault() }
        return elements.compactMap { $0.bytes.flatMap { SessionID(bytes: $0) } }
    }

    /// The live sessions of a user, the one used last first.
    /// - Throws: the store's failure.
    package func sessions(of userID: UserID, at now: Timestamp) async throws(IdentityError) -> [Session] {
        try await live(try await ids(of: userID), at: now).sorted { $0.lastUsedAt > $1.lastUsedAt }
    }

    /// Those of some sessions that live.
    /// - Throws: the store's failure.
    func live(_ ids: [SessionID], at now: Timestamp) async throws(IdentityError) -> [Session] {
        try await records(ids, at: now).compactMap { record -> Session? in
            guard case .live(let session) = record else { return nil }
            return session
        }
    }

    /// The last of an end: its access tokens are deleted, and nothing is left to do for who finds the session in its user's index.
    /// - Parameters:
    ///   - userID: nil if nobody knows; an entry in an index then stays until the session would have been over.
    ///   - entry: what is told of the end.
    ///   - isRecorded: whether the caller puts the end on record next.
    /// - Returns: whether it was still to be finished.
    /// - Throws: the store's failure.
    @discardableResult
    func finishEnd(
        of id: SessionID, of userID: UserID?, deleting tokens: [AccessTokenHash] = [], telling entry: RevocationLog.Entry? = nil,
        isRecorded: Bool
    ) async throws(IdentityError) -> Bool {
        let index = userID.map { [SessionIndex.key($0)] } ?? []
        let stream = entry == nil ? [] : [RevocationLog.key]
        let keys = [SessionRecord.key(id)] + index + stream + tokens.map(\.key)
        let arguments = SessionScript.arguments(id.bytes, userID != nil, isRecorded, entry != nil)
        let reply = try await mapRedisErrors { () throws(RedisError) in
            try await redis.runLasting(Self.finishEnd, keys: keys, arguments: arguments + (entry?.words ?? [])) { reply in
                arguments + (entry?.repeated(after: reply).words ?? [])
            }
        }
        if case .null = reply { return false }
        return true
    }

    /// Strikes access tokens that have been deleted from their session's list. A failure does no harm: they are listed until
    /// they would have expired.
    func strike(_ tokens: [AccessTokenHash], from id: SessionID) async {
        guard !tokens.isEmpty else { return }
        _ = try? await run(Self.strike, Self.keys(id), tokens.map(\.bytes))
    }

    private static func keys(_ id: SessionID) -> [String] {
        [SessionRecord.key(id), SessionRecord.tokensKey(id)]
    }

    private static func hashes(_ bytes: [UInt8]) throws(IdentityError) -> [AccessTokenHash] {
        guard let hashes = AccessTokenHash.list(bytes) else { throw .fault() }
        return hashes
    }

    private func send(_ command: RedisCommand) async throws(IdentityError) -> RedisReply {
        try await mapRedisErrors { () throws(RedisError) in try await redis.send(command) }
    }

    private func send(_ commands: [RedisCommand]) async throws(IdentityError) -> [RedisReply] {
        try await mapRedisErrors { () throws(RedisError) in try await redis.send(commands) }
    }

    private func run(
        _ script: RedisScript, _ keys: [String], _ arguments: [[UInt8]]
    ) async throws(IdentityError) -> RedisReply {
        try await mapRedisErrors { () throws(RedisError) in try await redis.run(script, keys: keys, arguments: arguments) }
    }
}

extension RedisReply {
    /// The bytes of a bulk string; nil for anything else.
    fileprivate var bytes: [UInt8]? {
        guard case .bytes(let bytes) = self else { return nil }
        return bytes
    }
}
