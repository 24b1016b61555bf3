package import Text

/// `RefreshRotation` inside Redis: decides what a presented refresh token gets and writes the new state in one step.
///
/// The mac must have been verified before, and the new access token stored under its own key: only then does this script make
/// it known. Whatever is not one of the four issuing outcomes means that the caller deletes that access token again.
///
/// - Key: `session:<sid>`.
/// - Arguments, all decimal unless said: presented generation; the caller's `now`, grace, recovery and idle life in milliseconds; hash (64
///   hexadecimal digits) and expiry of the new access token; 1 if the client wants rotation, else 0; how many access tokens a
///   session may have at once; least life of a tombstone in milliseconds; 1 if a replay is to give the very access token of the
///   rotation before, else 0.
/// - Returns four elements: the outcome's name; the generation that the refresh token now has; the hashes of access tokens to
///   delete; the reason of the end if `ended`, the hash of the access token to give again if `repeat`, else empty.
///
/// A rotation that may be repeated notes the hash of its access token as `successor`. `repeat` is a `replay` that finds this token
/// still listed and not expired; the new one is then not listed.
///
/// The hashes to delete are, for `reuse` and `ended`, all that the record lists. Otherwise they are those issued with a
/// generation that a recovery skipped (it lies strictly between `parent` and `generation`), and the ones nearest to their
/// expiry beyond the permitted number. They stay listed until the caller has deleted them and strikes them, and a tombstone
/// keeps its list for as long as a token on it may live: who repeats the request after a failure deletes what the first attempt
/// did not get to.
package enum RefreshSessionScript {
    /// How long after its expiry a hash stays listed, in milliseconds: our clocks may differ, and an access token that is
    /// forgotten too early could not be revoked.
    static let listingMargin = 300_000

    package static let source = """
        local key = KEYS[1]
        local presented, now = tonumber(ARGV[1]), clock(ARGV[2])
        local grace, recovery, idle = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
        local hash, expiry = ARGV[6], tonumber(ARGV[7]) + now - tonumber(ARGV[2])
        local wants_rotation, capacity, tombstone = ARGV[8] == '1', tonumber(ARGV[9]), tonumber(ARGV[10])
        local repeats = ARGV[11] == '1'

        local record, tokens = {}, {}
        local reply = redis.call('HGETALL', key)
        for i = 1, #reply, 2 do
            local field, value = reply[i], reply[i + 1]
            if #field == 64 then
                local issued, ends = string.match(value, '^(%d+) (%d+)$')
                tokens[#tokens + 1] = { hash = field, generation = tonumber(issued), expiry = tonumber(ends) }
            else
                record[field] = value
            end
        end

        local function all_hashes()
            local hashes = {}
            for i, token in ipairs(tokens) do hashes[i] = token.hash end
            return hashes
        end

        if record.ended then return { 'ended', 0, all_hashes(), record.ended } end
        local life = math.min(idle, tonumber(record.absolute_end or 0) - now)
        if not record.generation or record.kind == 'cookie' or life <= 0 then return { 'missing', 0, {}, '' } end

        local generation = tonumber(record.generation)
        local parent = tonumber(record.parent or -1)
        local age = math.max(0, now - tonumber(record.rotated or 0))
        local outcome
        if math.max(generation, presented) >= \(UInt32.max) then outcome = 'reuse'
        elseif presented > generation then outcome = 'rotate'
        elseif presented == generation then
            if record.kind == 'static' and not wants_rotation then outcome = 'keep' else outcome = 'rotate' end
        elseif presented ~= parent then outcome = 'reuse'
        elseif age < grace then outcome = 'replay'
        elseif age < recovery then outcome = 'recover'
        else outcome = 'reuse'
        end

        if outcome == 'reuse' then
            for _, token in ipairs(tokens) do tombstone = math.max(tombstone, token.expiry + \(listingMargin) - now) end
            for field in pairs(record) do
                if field ~= 'user' and field ~= 'salt' then redis.call('HDEL', key, field) end
            end
            redis.call('HSET', key, 'ended', '\(SessionEnd.refreshReused.rawValue)')
            redis.call('PEXPIRE', key, tombstone)
            return { outcome, 0, all_hashes(), '' }
        end

        if outcome == 'rotate' then
            parent, generation = presented, presented + 1
            redis.call('HSET', key, 'kind', 'rotating', 'parent', parent, 'generation', generation, 'rotated', string.format('%.0f', now))
        elseif outcome == 'recover' then
            generation = generation + 1
            redis.call('HSET', key, 'generation', generation, 'rotated', string.format('%.0f', now))
        end

        local changed = outcome == 'rotate' or outcome == 'recover'
        if changed and repeats then redis.call('HSET', key, 'successor', hash)
        elseif changed then redis.call('HDEL', key, 'successor')
        end
        if outcome == 'replay' and repeats then
            for _, token in ipairs(tokens) do
                if token.hash == record.successor and token.expiry > now then
                    redis.call('HSET', key, 'used', string.format('%.0f', now))
                    redis.call('PEXPIRE', key, life)
                    return { 'repeat', generation, {}, token.hash }
                end
            end
        end

        local listed, dead = {}, {}
        for _, token in ipairs(tokens) do
            if token.hash ~= hash and token.expiry + \(listingMargin) > now then
                listed[#listed + 1] = token
            else
                redis.call('HDEL', key, token.hash)
            end
        end
        table.sort(listed, function(a, b) return a.expiry < b.expiry end)
        local excess = #listed + 1 - capacity
        for i, token in ipairs(listed) do
            local skipped = parent >= 0 and token.generation > parent and token.generation < generation
            if i <= excess or skipped then dead[#dead + 1] = token.hash end
        end

        redis.call('HSET', key, hash, string.format('%.0f %.0f', generation, expiry), 'used', string.format('%.0f', now))
        redis.call('PEXPIRE', key, life)
        return { outcome, generation, dead, '' }
        """

    /// What the caller knows when a refresh token has been verified.
    package struct Request: Sendable {
        package let sessionID: SessionID
        package let generation: UInt32
        package let wantsRotation: Bool
        package let accessToken: IssuedAccessToken
        /// Whether a replay is to give the very access token of the rotation before.
        package let repeatsSuccessor: Bool

        package init(
            sessionID: SessionID, generation: UInt32, wantsRotation: Bool, accessToken: IssuedAccessToken,
            repeatsSuccessor: Bool = false
        ) {
            self.sessionID = sessionID
            self.generation = generation
            self.wantsRotation = wantsRotation
            self.accessToken = accessToken
            self.repeatsSuccessor = repeatsSuccessor
        }

        /// The same by one who could not read the access token of the rotation before.
        var withoutRepetition: Request {
            Request(
                sessionID: sessionID, generation: generation, wantsRotation: wantsRotation, accessToken: accessToken)
        }
    }

    /// How many access tokens one session may have at once, unless configured otherwise.
    package static let standardCapacity = 256

    package static func key(_ request: Request) -> String {
        SessionRecord.key(request.sessionID)
    }

    package static func arguments(
        _ request: Request, policy: RefreshPolicy, idle: Duration, capacity: Int = standardCapacity,
        tombstone: Duration = SessionTombstone.standardLife, at now: Timestamp
    ) -> [String] {
        [
            String(request.generation), String(now.milliseconds), String(policy.grace.wholeMilliseconds),
            String(policy.recovery.wholeMilliseconds), String(idle.wholeMilliseconds), request.accessToken.hash.hex,
            String(request.accessToken.expiresAt.milliseconds), request.wantsRotation ? "1" : "0", String(capacity),
            String(tombstone.wholeMilliseconds), request.repeatsSuccessor ? "1" : "0",
        ]
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

        /// From the four elements of the reply; `nil` if they are none that the script gives.
        package init?(outcome name: String, generation: Int64, revoked: [String], reason: String) {
            switch name {
            case "reuse": outcome = .reuse
            case "missing": outcome = .missing
            case "ended":
                guard let end = SessionEnd(rawValue: reason) else { return nil }
                outcome = .ended(end)
            case "repeat":
                guard let successor = AccessTokenHash(hex: reason), let generation = UInt32(exactly: generation) else {
                    return nil
                }
                outcome = .repeated(successor, generation: generation)
            default:
                guard let issue = Issue(rawValue: name), let generation = UInt32(exactly: generation) else { return nil }
                outcome = .issued(issue, generation: generation)
            }
            self.revoked = revoked.compactMap { AccessTokenHash(hex: $0) }
            guard self.revoked.count == revoked.count else { return nil }
        }
    }
}
