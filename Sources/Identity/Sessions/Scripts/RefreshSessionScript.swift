import Text

/// `RefreshRotation` inside Redis: decides what a presented refresh token of a grant gets and writes the new state in one step.
///
/// The mac must have been verified before. The new access token is stored under its own key by this script too, if one of the four outcomes
/// comes out that issue one, and the attempt is counted first.
///
/// - Keys: `session:{<sid>}`, `session:{<sid>}:tokens`; then, to have the access token stored, its own, and one for each budget.
/// - Arguments: one of numbers (`numbers`); the hash of the new access token (18 bytes); to have it stored, its record and its life in milliseconds;
///   to have the attempt counted, the budgets as `LimitScript` takes them, but for the grant's own.
/// - Returns five elements, and for `reuse` as a sixth the records of the access tokens, which this script has deleted: the outcome's name; the
///   generation that the refresh token now has; the hashes of access tokens to delete, one behind the other; the reason of the end if `ended`, the
///   hash of the access token to give again if `repeat`, else empty; what `LimitScript` returns, the grant's own budget first. The name is `limited`
///   where a budget is used up, and then nothing changes.
///
/// The grant's own budget (`GCRA`) is remembered in the record, which is read and written anyway, unless the grant is bound to a key: its budget has a
/// key in Redis.
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
        SessionScript.listing + LimitScript.counting + """
            -- What few refreshes need.
            local function library()
                \(SessionScript.tokens + SessionScript.tombstones + SessionScript.accessTokens)
                return {
                    read_token = read_token, member = member, all_tokens = all_tokens, hashes_of = hashes_of,
                    read_tombstone = read_tombstone, entomb = entomb, forget_access_tokens = forget_access_tokens,
                }
            end

            local number, presented, sent, grace, recovery, idle, expiry, capacity, tombstone, wishes, interval, units =
                struct.unpack('>I4I4I6I6I6I6I6I4I6I1I7I6', ARGV[1])
            local key, overflow, now, hash = KEYS[1], KEYS[2], clock(sent), ARGV[2]
            local wants_rotation, repeats = wishes % 2 == 1, wishes >= 2

            -- Counts the attempt in all budgets, given what the grant's own says. It returns what they say, and whether they allow it.
            local function count(left, reset, arrival)
                if not ARGV[5] then return '', true end
                local others, is_allowed = count_attempt(now, 3, ARGV[5], { true }, 1, left == -2)
                if interval == 0 then return others, is_allowed end
                return struct.pack('>i8i8i8i8', left, reset, arrival, 0) .. others, is_allowed
            end

            local value = redis.call('GET', key)
            if not value or string.byte(value) == \(SessionRecord.tombstoneMark) then
                local verdicts, is_allowed = count(-1, 0, 0)
                if not is_allowed then return { 'limited', 0, '', '', verdicts } end
                if not value then return { 'missing', 0, '', '', verdicts } end
                local seldom = library()
                local ended = seldom.read_tombstone(value)
                return { 'ended', 0, seldom.hashes_of(seldom.all_tokens(ended.tokens, overflow)), ended.reason, verdicts }
            end

            -- Read and written in place, since it comes so often: `kept` is what lies between the last use and the tokens.
            local absolute_end, _, _, _, _, tokens, grants = struct.unpack('>I6I6I2c0I2c0I1c0I2c0', value, 46)
            local kept = string.sub(value, 58, grants - #tokens - 3)
            local life = math.min(idle, absolute_end - now)
            local first, length, found, mode, generation, parent, rotated, successor, rest = grants
            while first <= #value do
                length, found, mode, generation, parent, rotated, successor, rest =
                    struct.unpack('>I2I4I1I4I4I6I1c0', value, first)
                if found == number then break end
                first = first + 2 + length
            end
            local is_there = found == number and mode ~= 0 and life > 0
            local left, reset, arrival, remainder = -1, 0, 0
            if is_there then
                remainder = string.sub(value, rest, first + 1 + length)
                if interval > 0 then
                    if string.byte(remainder, -8) == \(Grant.budgetMark) then
                        arrival, remainder = struct.unpack('>I7', remainder, #remainder - 6), string.sub(remainder, 1, -9)
                    end
                    local instant, window = now * 1000, interval * units
                    arrival = math.min(math.max(arrival, instant), instant + window) + interval
                    local over = arrival - instant - window
                    if over > 0 then left, reset, arrival = -2, over, 0
                    else left, reset = math.floor(-over / interval), arrival - instant end
                    remainder = remainder .. struct.pack('>I1I7', \(Grant.budgetMark), arrival)
                end
            end
            local verdicts, is_allowed = count(left, reset, arrival)
            if not is_allowed then return { 'limited', 0, '', '', verdicts } end
            if not is_there then return { 'missing', 0, '', '', verdicts } end
            local function save(tokens)
                local changed = string.sub(value, 1, 51) .. struct.pack('>I6', now) .. kept .. struct.pack('>I2', #tokens) .. tokens
                    .. string.sub(value, grants, first - 1)
                    .. struct.pack('>I2I4I1I4I4I6I1c0', 20 + #successor + #remainder, number, mode, generation, math.max(0, parent),
                        rotated, #successor, successor)
                    .. remainder .. string.sub(value, first + 2 + length)
                redis.call('SET', key, changed, 'PX', math.max(1, life, redis.call('PTTL', key)))
            end

            local age = math.max(0, now - rotated)
            if parent == 0 then parent = -1 end
            local outcome
            if math.max(generation, presented) >= \(UInt32.max) then outcome = 'reuse'
            elseif presented > generation then outcome = 'rotate'
            elseif presented == generation then
                if mode == 2 and not wants_rotation then outcome = 'keep' else outcome = 'rotate' end
            elseif presented ~= parent then outcome = 'reuse'
            elseif age < grace then outcome = 'replay'
            elseif age < recovery then outcome = 'recover'
            else outcome = 'reuse'
            end

            if outcome == 'reuse' then
                local seldom = library()
                local voided = seldom.all_tokens(tokens, overflow)
                seldom.entomb(key, string.sub(value, 2, 33), voided, '\(SessionEnd.refreshReused.rawValue)', 0, tombstone, now, value)
                return { outcome, 0, seldom.hashes_of(voided), '', verdicts, seldom.forget_access_tokens(voided) }
            end

            if outcome == 'replay' and repeats and #successor > 0 then
                local seldom, ending = library(), nil
                for position = 1, #tokens, 32 do
                    local token = seldom.read_token(tokens, position)
                    if token.hash == successor then ending = token.expiry end
                end
                local again = { hash = successor, generation = generation, grant = number }
                ending = ending or tonumber(redis.call('ZSCORE', overflow, seldom.member(again)) or 0)
                if ending > now then
                    save(tokens)
                    return { 'repeat', generation, '', successor, verdicts }
                end
            end

            if outcome == 'rotate' then
                mode, parent, generation, rotated = 1, presented, presented + 1, now
            elseif outcome == 'recover' then
                generation, rotated = generation + 1, now
            end
            if outcome == 'rotate' or outcome == 'recover' then successor = repeats and hash or '' end

            local listed, dead = list_token(tokens, overflow, hash, expiry + now - sent, generation, number, now, capacity)
            if parent > 0 and generation > parent + 1 then
                for _, token in ipairs(library().all_tokens(listed, overflow)) do
                    local skipped = token.grant == number and token.generation > parent and token.generation < generation
                    if skipped and token.expiry + \(SessionScript.listingMargin) > now and not string.find(dead, token.hash, 1, true) then
                        dead = dead .. token.hash
                    end
                end
            end
            if KEYS[3] then redis.call('SET', KEYS[3], ARGV[3], 'PX', ARGV[4]) end
            save(listed)
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
        tombstone: Duration = SessionTombstone.standardLife, budget: GCRA? = nil, at now: Timestamp
    ) -> [[UInt8]] {
        [numbers(request, policy, idle, capacity, tombstone, budget, now), request.accessToken.hash.bytes]
            + (request.record.map { SessionScript.arguments($0, request.accessToken.life(at: now)) } ?? [])
    }

    /// Grant and presented generation (4 bytes each); the caller's `now`, grace, recovery, idle life and the expiry of the new access token in
    /// milliseconds (6 each); how many access tokens a session may have at once (4); least life of a tombstone in milliseconds (6); 1 if the client
    /// wants rotation, and 2 more if a replay is to give the very access token of the rotation before (1); interval in microseconds (7) and count (6)
    /// of the grant's own budget, zeros for none. In one argument: Redis would read each as a text.
    private static func numbers(
        _ request: Request, _ policy: RefreshPolicy, _ idle: Duration, _ capacity: Int, _ tombstone: Duration, _ budget: GCRA?,
        _ now: Timestamp
    ) -> [UInt8] {
        var writer = PackedWriter(capacity: 62)
        writer.number(request.grant.number, 4)
        writer.number(request.generation, 4)
        writer.number(now.milliseconds, 6)
        for duration in [policy.grace, policy.recovery, idle] { writer.number(duration.wholeMilliseconds, 6) }
        writer.number(request.accessToken.expiresAt.milliseconds, 6)
        writer.number(capacity, 4)
        writer.number(tombstone.wholeMilliseconds, 6)
        writer.number((request.wantsRotation ? 1 : 0) | (request.repeatsSuccessor ? 2 : 0), 1)
        writer.number(budget?.interval ?? 0, 7)
        writer.number(budget?.count ?? 0, 6)
        return writer.bytes
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
        package init?(outcome name: String, generation: Int64, revoked: [UInt8], reason: [UInt8], records: [[UInt8]] = []) {
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
            guard let revoked = AccessTokenHash.list(revoked) else { return nil }
            self.revoked = revoked
        }
    }
}
