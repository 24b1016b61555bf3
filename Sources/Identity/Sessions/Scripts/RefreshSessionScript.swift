import Text

/// `RefreshRotation` inside Redis: decides what a presented refresh token of a grant gets and writes the new state in one step.
///
/// The mac must have been verified before. The new access token is stored under its own key by this script too, if one of the four outcomes
/// comes out that issue one, and the attempt is counted first.
///
/// - Keys: `session:{<sid>}`, `session:{<sid>}:tokens`; then, to have the access token stored, its own, and one for each budget.
/// - Arguments, all decimal unless said: grant; presented generation; the caller's `now`, grace, recovery and idle life in milliseconds; hash
///   (18 bytes) and expiry of the new access token; 1 if the client wants rotation, else 0; how many access tokens a
///   session may have at once; least life of a tombstone in milliseconds; 1 if a replay is to give the very access token of the
///   rotation before, else 0; the record of the access token and its life in milliseconds; for each budget what `LimitScript` takes.
/// - Returns five elements, and for `reuse` as a sixth the records of the access tokens, which this script has deleted: the outcome's name; the generation that the refresh token now has; the hashes of access tokens to
///   delete; the reason of the end if `ended`, the hash of the access token to give again if `repeat`, else empty; what `LimitScript` returns. The name is
///   `limited` where a budget is used up, and then nothing changes.
///
/// A rotation that may be repeated notes the hash of its access token in the grant. `repeat` is a `replay` that finds this token
/// still listed and not expired; the new one is then not listed.
///
/// The hashes to delete are, for `reuse` and `ended`, all that the session has, whichever grant they were issued in. Otherwise they are
/// those issued with a generation of this grant that a recovery skipped (it lies strictly between `parent` and `generation`), and the
/// ones nearest to their expiry beyond the permitted number. They stay listed until the caller has deleted them and strikes them, and a
/// tombstone keeps its list for as long as a token on it may live: who repeats the request after a failure deletes what the first attempt
/// did not get to.
///
/// A refresh reads and writes the record alone: its grants, at most four tokens. With more tokens one of them goes to the sorted set, which
/// is read as a whole only where a recovery has skipped something, and where the session is over.
package enum RefreshSessionScript {
    package static let source =
        SessionScript.record + SessionScript.tokens + SessionScript.accessTokens + LimitScript.counting + """
            local key, overflow, now = KEYS[1], KEYS[2], clock(ARGV[3])
            local number, presented = tonumber(ARGV[1]), tonumber(ARGV[2])
            local grace, recovery, idle = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
            local hash, expiry = ARGV[7], tonumber(ARGV[8]) + now - tonumber(ARGV[3])
            local wants_rotation, capacity, tombstone = ARGV[9] == '1', tonumber(ARGV[10]), tonumber(ARGV[11])
            local repeats = ARGV[12] == '1'

            local verdicts, is_allowed = {}, true
            if #KEYS > 3 then verdicts, is_allowed = count_attempt(now, 3, 14, #KEYS - 3, { always = true }) end
            if not is_allowed then return { 'limited', 0, {}, '', verdicts } end

            local value = redis.call('GET', key)
            if not value then return { 'missing', 0, {}, '', verdicts } end
            if is_tombstone(value) then
                local ended = read_tombstone(value)
                return { 'ended', 0, hashes_of(all_tokens(ended.tokens, overflow)), ended.reason, verdicts }
            end
            local session = read_session(value)
            local first, after = find_grant(session, number)
            local life = math.min(idle, session.absolute_end - now)
            if not first or life <= 0 then return { 'missing', 0, {}, '', verdicts } end
            local grant = read_grant(session, first, after)
            if grant.mode == 0 then return { 'missing', 0, {}, '', verdicts } end

            local generation, parent = grant.generation, grant.parent
            if parent == 0 then parent = -1 end
            local age = math.max(0, now - grant.rotated)
            local outcome
            if math.max(generation, presented) >= \(UInt32.max) then outcome = 'reuse'
            elseif presented > generation then outcome = 'rotate'
            elseif presented == generation then
                if grant.mode == 2 and not wants_rotation then outcome = 'keep' else outcome = 'rotate' end
            elseif presented ~= parent then outcome = 'reuse'
            elseif age < grace then outcome = 'replay'
            elseif age < recovery then outcome = 'recover'
            else outcome = 'reuse'
            end

            if outcome == 'reuse' then
                local tokens = all_tokens(session.tokens, overflow)
                entomb(key, string.sub(session.head, 2), tokens, '\(SessionEnd.refreshReused.rawValue)', 0, tombstone, now, value)
                return { outcome, 0, hashes_of(tokens), '', verdicts, forget_access_tokens(tokens) }
            end

            if outcome == 'rotate' then
                parent, generation = presented, presented + 1
                grant.mode, grant.parent, grant.generation, grant.rotated = 1, parent, generation, now
            elseif outcome == 'recover' then
                generation = generation + 1
                grant.generation, grant.rotated = generation, now
            end
            if outcome == 'rotate' or outcome == 'recover' then grant.successor = repeats and hash or '' end
            session.used = now

            if outcome == 'replay' and repeats and #grant.successor > 0 then
                local again = { hash = grant.successor, generation = generation, grant = number }
                for position = 1, #session.tokens, 32 do
                    local token = read_token(session.tokens, position)
                    if token.hash == again.hash then again.expiry = token.expiry end
                end
                again.expiry = again.expiry or tonumber(redis.call('ZSCORE', overflow, member(again)) or 0)
                if again.expiry > now then
                    save_session(key, session, life)
                    return { 'repeat', generation, {}, again.hash, verdicts }
                end
            end

            local new = { hash = hash, expiry = expiry, generation = generation, grant = number }
            local dead, known = list_token(session, overflow, new, now, capacity), {}
            if parent > 0 and generation > parent + 1 then
                for _, name in ipairs(dead) do known[name] = true end
                for _, token in ipairs(all_tokens(session.tokens, overflow)) do
                    local skipped = token.grant == number and token.generation > parent and token.generation < generation
                    if skipped and token.expiry + \(SessionScript.listingMargin) > now and not known[token.hash] then dead[#dead + 1] = token.hash end
                end
            end
            write_grant(session, first, after, grant)
            if KEYS[3] then redis.call('SET', KEYS[3], ARGV[13], 'PX', ARGV[14]) end
            save_session(key, session, life)
            return { outcome, generation, dead, '', verdicts }
            """

    /// What the caller knows when a refresh token has been verified.
    package struct Request: Sendable {
        package let sessionID: SessionID
        package let grant: GrantID
        package let generation: UInt32
        package let wantsRotation: Bool
        package let accessToken: IssuedAccessToken
        /// What is kept of it, for the script to store; nil where somebody else does.
        package let record: [UInt8]?
        /// Whether a replay is to give the very access token of the rotation before.
        package let repeatsSuccessor: Bool

        package init(
            sessionID: SessionID, grant: GrantID = .first, generation: UInt32, wantsRotation: Bool,
            accessToken: IssuedAccessToken, record: [UInt8]? = nil, repeatsSuccessor: Bool = false
        ) {
            self.record = record
            self.sessionID = sessionID
            self.grant = grant
            self.generation = generation
            self.wantsRotation = wantsRotation
            self.accessToken = accessToken
            self.repeatsSuccessor = repeatsSuccessor
        }

        /// The same by one who could not read the access token of the rotation before.
        var withoutRepetition: Request {
            Request(
                sessionID: sessionID, grant: grant, generation: generation, wantsRotation: wantsRotation,
                accessToken: accessToken, record: record)
        }
    }

    static func arguments(
        _ request: Request, policy: RefreshPolicy, idle: Duration, capacity: Int = SessionScript.capacity,
        tombstone: Duration = SessionTombstone.standardLife, at now: Timestamp
    ) -> [[UInt8]] {
        SessionScript.arguments(
            request.grant.number, request.generation, now.milliseconds, policy.grace.wholeMilliseconds,
            policy.recovery.wholeMilliseconds, idle.wholeMilliseconds, request.accessToken.hash.bytes,
            request.accessToken.expiresAt.milliseconds, request.wantsRotation, Int64(capacity), tombstone.wholeMilliseconds,
            request.repeatsSuccessor)
            + (request.record.map { SessionScript.arguments($0, request.accessToken.life(at: now)) } ?? [])
    }

    /// What the script decided.
    package enum Outcome: Equatable, Sendable {
        /// An answer goes out: the new access token, and the refresh token of `generation`.
        case issued(Issue, generation: UInt32)
        /// The answer of the rotation before goes out again, with this access token; the new one is not wanted.
        case repeated(AccessTokenHash, generation: UInt32)
        /// The session is over because of this very request.
        case reuse
        /// The session was over before.
        case ended(SessionEnd)
        /// There is no such session, or none that can be refreshed.
        case missing
    }

    /// The issuing decisions of `RefreshRotation.Decision`.
    package enum Issue: String, Sendable, CaseIterable {
        case rotate, replay, recover, keep
    }

    package struct Reply: Equatable, Sendable {
        package let outcome: Outcome
        /// Access tokens that must be deleted before the answer goes out.
        package let revoked: [AccessTokenHash]
        /// What was kept of those that the script has deleted: whoever is told of their end is named there.
        package let records: [[UInt8]]

        /// From the elements of the reply; `nil` if they are none that the script gives.
        package init?(outcome name: String, generation: Int64, revoked: [[UInt8]], reason: [UInt8], records: [[UInt8]] = []) {
            self.records = records
            switch name {
            case "reuse": outcome = .reuse
            case "missing": outcome = .missing
            case "ended":
                guard let end = SessionEnd(rawValue: String(decoding: reason, as: UTF8.self)) else { return nil }
                outcome = .ended(end)
            case "repeat":
                guard let successor = AccessTokenHash(bytes: reason), let generation = UInt32(exactly: generation) else {
                    return nil
                }
                outcome = .repeated(successor, generation: generation)
            default:
                guard let issue = Issue(rawValue: name), let generation = UInt32(exactly: generation) else { return nil }
                outcome = .issued(issue, generation: generation)
            }
            self.revoked = revoked.compactMap { AccessTokenHash(bytes: $0) }
            guard self.revoked.count == revoked.count else { return nil }
        }
    }
}
