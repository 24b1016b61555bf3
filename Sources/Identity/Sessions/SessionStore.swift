package import Redis
package import Text

/// The sessions in Redis: one record each, and one index a user. Each command touches one key only.
package struct SessionStore: Sendable {
    let redis: RedisConnection
    private let policy: RefreshPolicy
    private let clock: ScriptClock

    private static let create = TimedScript(name: "create_session", source: CreateSessionScript.source)
    private static let refresh = TimedScript(name: "refresh_session", source: RefreshSessionScript.source)
    private static let end = TimedScript(name: "end_session", source: EndSessionScript.source)
    private static let touch = TimedScript(name: "touch_session", source: TouchSessionScript.source)
    private static let list = TimedScript(name: "list_access_token", source: ListAccessTokenScript.source)
    private static let index = TimedScript(name: "index_session", source: IndexSessionScript.source)
    /// Asks for no time.
    private static let changeCookie = RedisScript(name: "change_cookie", source: ChangeCookieScript.source)

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

    /// Enters a session in its user's index, before it is created. Returns it as it is dated by who keeps it, and how many the user has now.
    /// - Throws: the store's failure.
    func announce(_ session: Session, at now: Timestamp) async throws(IdentityError) -> (Session, count: Int) {
        let arguments = IndexSessionScript.arguments(session, at: now)
        let reply = try await run(Self.index[clock], IndexSessionScript.key(session.userID), arguments)
        guard let parts = reply.elements, parts.count == 2, let count = parts[0].integerValue, let time = parts[1].integerValue
        else { throw .fault() }
        return (session.moved(to: Timestamp(milliseconds: time), from: now), Int(count))
    }

    /// Writes the record, and returns the session as it is kept; nil when it was ended before it began.
    /// - Parameter now: by the clock of the session's instants.
    /// - Throws: the store's failure.
    func create(
        _ session: Session, idle: Duration, accessToken: IssuedAccessToken?, at now: Timestamp
    ) async throws(IdentityError) -> Session? {
        let arguments = CreateSessionScript.arguments(session, idle: idle, accessToken: accessToken, at: now)
        let reply = try await run(Self.create[clock], CreateSessionScript.key(session), arguments)
        guard let time = reply.integerValue else { throw .fault() }
        return time > 0 ? session.shifted(by: Timestamp(milliseconds: time).duration(since: now)) : nil
    }

    /// - Throws: the store's failure.
    package func record(_ id: SessionID, at now: Timestamp) async throws(IdentityError) -> SessionRecord {
        try await records([id], at: now)[0]
    }

    /// Reads records, and in the same round trip by what clock.
    private func records(_ ids: [SessionID], at now: Timestamp) async throws(IdentityError) -> [SessionRecord] {
        guard !ids.isEmpty else { return [] }
        var replies = try await send(ids.map { Self.reading($0) } + (clock == .redis ? [RedisCommand("TIME")] : []))
        var lead = Duration.zero
        if clock == .redis {
            guard let time = replies.popLast().flatMap({ Timestamp(redisTime: $0) }) else { throw .fault() }
            lead = time.duration(since: now)
        }
        var records: [SessionRecord] = []
        for (id, reply) in zip(ids, replies) { records.append(SessionRecord(id, values: try Self.texts(reply), lead: lead)) }
        return records
    }

    /// Lists one more access token; false when the session is over.
    /// - Throws: the store's failure.
    func list(_ token: IssuedAccessToken, in id: SessionID, at now: Timestamp) async throws(IdentityError) -> Bool {
        try await run(Self.list[clock], SessionRecord.key(id), ListAccessTokenScript.arguments(token, at: now)).integerValue == 1
    }

    /// Decides about a verified refresh token and writes the outcome.
    /// - Throws: the store's failure.
    func refresh(
        _ request: RefreshSessionScript.Request, idle: Duration, at now: Timestamp
    ) async throws(IdentityError) -> RefreshSessionScript.Reply {
        let arguments = RefreshSessionScript.arguments(request, policy: policy, idle: idle, at: now)
        let reply = try await run(Self.refresh[clock], RefreshSessionScript.key(request), arguments)
        guard let parts = reply.elements, parts.count == 4, let outcome = parts[0].text,
            let generation = parts[1].integerValue, let reason = parts[3].text,
            let decided = RefreshSessionScript.Reply(
                outcome: outcome, generation: generation, revoked: try Self.texts(parts[2]).compactMap(\.self), reason: reason)
        else { throw .fault() }
        return decided
    }

    /// Marks a cookie session as used, and returns when it was used last; `nil` when it is over.
    /// - Throws: the store's failure.
    func touch(_ id: SessionID, at now: Timestamp) async throws(IdentityError) -> Timestamp? {
        let reply = try await run(Self.touch[clock], SessionRecord.key(id), TouchSessionScript.arguments(at: now))
        guard let used = reply.integerValue else { throw .fault() }
        return used > 0 ? Timestamp(milliseconds: used) : nil
    }

    /// Gives the cookies of a session another salt; false when the session is over.
    /// - Throws: the store's failure.
    func changeCookie(of id: SessionID, _ salt: SessionSalt) async throws(IdentityError) -> Bool {
        try await run(Self.changeCookie, SessionRecord.key(id), [salt.storedText]).integerValue == 1
    }

    /// Ends a session; its access tokens are for the caller to delete.
    /// - Parameter isRecorded: whether the end is to be put on record.
    /// - Throws: the store's failure.
    func end(
        _ id: SessionID, reason: SessionEnd, isRecorded: Bool = false, at now: Timestamp
    ) async throws(IdentityError) -> EndSessionScript.Reply {
        let arguments = EndSessionScript.arguments(reason: reason, isRecorded: isRecorded, at: now)
        let reply = try await sending { () throws(RedisError) in
            try await redis.runLasting(
                Self.end[clock], keys: [EndSessionScript.key(id)], arguments: arguments.map { [UInt8]($0.utf8) })
        }
        guard let parts = reply.elements, parts.count == 4, let outcome = parts[0].text, let userID = parts[1].text,
            let unrecorded = parts[3].text,
            let ended = EndSessionScript.Reply(
                outcome: outcome, userID: userID, revoked: try Self.texts(parts[2]).compactMap(\.self), unrecorded: unrecorded)
        else { throw .fault() }
        return ended
    }

    /// The ids in a user's index, the one that lasts longest first.
    /// - Throws: the store's failure.
    func ids(of userID: UserID) async throws(IdentityError) -> [SessionID] {
        let command = RedisCommand("ZREVRANGE", IndexSessionScript.key(userID), "0", "-1")
        return try Self.texts(try await send(command)).compactMap { $0.flatMap { SessionID($0) } }
    }

    /// The live sessions of a user, the one used last first.
    /// - Throws: the store's failure.
    package func sessions(of userID: UserID, at now: Timestamp) async throws(IdentityError) -> [Session] {
        let sessions = try await records(try await ids(of: userID), at: now).compactMap { record -> Session? in
            guard case .live(let session) = record else { return nil }
            return session
        }
        return sessions.sorted { $0.lastUsedAt > $1.lastUsedAt }
    }

    /// The last of an end: nothing is left to do for who finds the session in its user's index.
    /// - Parameter isRecorded: whether the end is on record now.
    /// - Throws: the store's failure.
    func finishEnd(of id: SessionID, of userID: UserID, isRecorded: Bool) async throws(IdentityError) {
        let done = isRecorded ? [RedisCommand("HDEL", SessionRecord.key(id), EndSessionScript.unrecorded)] : []
        _ = try await send(done + [RedisCommand("ZREM", IndexSessionScript.key(userID), id.text)])
    }

    /// Strikes access tokens that have been deleted from their session's list. A failure does no harm: they are listed until
    /// they would have expired.
    func strike(_ tokens: [AccessTokenHash], from id: SessionID) async {
        guard !tokens.isEmpty else { return }
        var command = RedisCommand("HDEL", SessionRecord.key(id))
        for token in tokens { command.append(token.hex) }
        _ = try? await send(command)
    }

    private static func reading(_ id: SessionID) -> RedisCommand {
        var command = RedisCommand("HMGET", SessionRecord.key(id))
        for name in SessionRecord.fieldNames { command.append(name) }
        return command
    }

    private static func texts(_ reply: RedisReply) throws(IdentityError) -> [String?] {
        guard let elements = reply.elements else { throw .fault() }
        return elements.map(\.text)
    }

    private func send(_ command: RedisCommand) async throws(IdentityError) -> RedisReply {
        try await sending { () throws(RedisError) in try await redis.send(command) }
    }

    private func send(_ commands: [RedisCommand]) async throws(IdentityError) -> [RedisReply] {
        try await sending { () throws(RedisError) in try await redis.send(commands) }
    }

    private func run(_ script: RedisScript, _ key: String, _ arguments: [String]) async throws(IdentityError) -> RedisReply {
        try await sending { () throws(RedisError) in
            try await redis.run(script, keys: [key], arguments: arguments.map { [UInt8]($0.utf8) })
        }
    }
}
