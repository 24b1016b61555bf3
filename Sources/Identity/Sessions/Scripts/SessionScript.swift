import Text

/// What the scripts on a session have in common: reading and writing its record (`SessionRecord`), and the list of its access tokens.
///
/// The keys of each are those of one session, and in one slot: `session:{<sid>}`, and `session:{<sid>}:tokens` where the list of access tokens matters.
/// A script that ends it writes `session:{<sid>}:ended` as well.
enum SessionScript {
    /// Access tokens that the record itself lists. An app that refreshes when its access token expires has two.
    static let inlineCount = 4
    /// How long after its expiry a token stays listed, in milliseconds: our clocks may differ, and an access token that is
    /// forgotten too early could not be revoked.
    static let listingMargin = 300_000
    /// How many access tokens one session may have at once, unless configured otherwise.
    static let capacity = 256
    /// Behind the key of a session: what it was whose end is not finished.
    static let endedSuffix = ":ended"
    /// How many grants.
    static let grantCount = 32

    // Redis defines the functions of a script anew each time that it runs, so each of these parts has what goes together and no more.

    /// For scripts that read the record.
    static let reading = """
        local function read_session(value)
            local absolute_end, used, details, owner, cookie, tokens, position = struct.unpack('>I6I6I2c0I2c0I1c0I2c0', value, 46)
            return {
                head = string.sub(value, 1, 45), absolute_end = absolute_end, used = used, details = details, owner = owner,
                cookie = cookie, tokens = tokens, grants = string.sub(value, position),
            }
        end

        local function is_tombstone(value) return string.byte(value, 1) == \(SessionRecord.tombstoneMark) end

        """

    /// For scripts that write it.
    static let writing = """
        local function write_session(session)
            return session.head
                .. struct.pack('>I6I6I2c0I2c0I1c0I2c0', session.absolute_end, session.used, #session.details, session.details,
                    #session.owner, session.owner, #session.cookie, session.cookie, #session.tokens, session.tokens)
                .. session.grants
        end

        -- Writes a session that is there, for as long as it would live and at least for so long.
        local function save_session(key, session, life)
            redis.call('SET', key, write_session(session), 'PX', math.max(1, life, redis.call('PTTL', key)))
        end

        """

    /// For scripts that look at a grant.
    static let grants = """
        local function find_grant(session, number)
            local position = 1
            while position <= #session.grants do
                local length, found = struct.unpack('>I2I4', session.grants, position)
                if found == number then return position, position + 2 + length end
                position = position + 2 + length
            end
        end

        local function read_grant(session, first, after)
            local number, mode, generation, parent, rotated, successor, position =
                struct.unpack('>I4I1I4I4I6I1c0', session.grants, first + 2)
            return {
                number = number, mode = mode, generation = generation, parent = parent, rotated = rotated, successor = successor,
                rest = string.sub(session.grants, position, after - 1),
            }
        end

        """

    /// For scripts that list an access token.
    static let listing = """
        -- Lists a token. Returns the new list, and the hashes of those that are too many, the ones nearest to their expiry, one behind the
        -- other; they stay listed.
        local function list_token(list, overflow, hash, expiry, generation, grant, now, capacity)
            local kept, count, first, soonest = '', 1, nil, nil
            for position = 1, #list, 32 do
                local other, ending = struct.unpack('>c18I6', list, position)
                if ending + \(listingMargin) > now and other ~= hash then
                    if not first or ending < soonest then first, soonest = #kept, ending end
                    kept, count = kept .. string.sub(list, position, position + 31), count + 1
                end
            end
            kept = kept .. struct.pack('>c18I6I4I4', hash, expiry, generation, grant)
            local dead = ''
            if count > math.min(\(inlineCount), capacity) then
                local moved = string.sub(kept, first + 1, first + 32)
                kept = string.sub(kept, 1, first) .. string.sub(kept, first + 33)
                redis.call('ZADD', overflow, soonest, string.sub(moved, 1, 18) .. string.sub(moved, 25))
                redis.call('ZREMRANGEBYSCORE', overflow, '-inf', now - \(listingMargin))
                local excess = redis.call('ZCARD', overflow) + count - 1 - capacity
                if excess > 0 then
                    for _, name in ipairs(redis.call('ZRANGE', overflow, 0, excess - 1)) do dead = dead .. string.sub(name, 1, 18) end
                end
                local rest = soonest - now + \(listingMargin)
                if redis.call('PTTL', overflow) < rest then redis.call('PEXPIRE', overflow, rest) end
            end
            return kept, dead
        end

        """

    /// For scripts that read or write the list of access tokens.
    static let tokens = """
        local function read_token(list, position)
            local hash, expiry, generation, grant = struct.unpack('>c18I6I4I4', list, position)
            return { hash = hash, expiry = expiry, generation = generation, grant = grant }
        end

        local function write_token(token)
            return struct.pack('>c18I6I4I4', token.hash, token.expiry, token.generation, token.grant)
        end

        -- The name of a token in the sorted set.
        local function member(token) return struct.pack('>c18I4I4', token.hash, token.generation, token.grant) end

        -- All tokens that are listed: it reads them all, and is for what comes seldom.
        local function all_tokens(list, overflow)
            local all = {}
            for position = 1, #list, 32 do all[#all + 1] = read_token(list, position) end
            local others = redis.call('ZRANGE', overflow, 0, -1, 'WITHSCORES')
            for i = 1, #others, 2 do
                local token = { expiry = tonumber(others[i + 1]) }
                token.hash, token.generation, token.grant = struct.unpack('>c18I4I4', others[i])
                all[#all + 1] = token
            end
            return all
        end

        -- One behind the other.
        local function hashes_of(tokens)
            local hashes = {}
            for i, token in ipairs(tokens) do hashes[i] = token.hash end
            return table.concat(hashes)
        end

        """

    /// For scripts that read or write a tombstone; behind `tokens`.
    static let tombstones = """
        -- Where a session that has ended is kept until its end is finished.
        local function ended_key(key) return key .. '\(endedSuffix)' end

        local function read_tombstone(value)
            local unrecorded, reason, position = struct.unpack('>I6I1c0', value, 34)
            return { head = string.sub(value, 2, 33), unrecorded = unrecorded, reason = reason, tokens = string.sub(value, position) }
        end

        local function write_tombstone(tombstone)
            return struct.pack('>I1', \(SessionRecord.tombstoneMark)) .. tombstone.head
                .. struct.pack('>I6I1c0', tombstone.unrecorded, #tombstone.reason, tombstone.reason) .. tombstone.tokens
        end

        -- Makes a tombstone of a session: no token is issued in its name any more. It lives at least until the last of these tokens has expired.
        -- What it was is kept beside it: who has had something from it is still to be told.
        local function entomb(key, head, tokens, reason, unrecorded, life, now, value)
            local list = {}
            for i, token in ipairs(tokens) do
                life = math.max(life, token.expiry + \(listingMargin) - now)
                if i <= \(inlineCount) then list[i] = write_token(token) end
            end
            local tombstone = { head = head, reason = reason, unrecorded = unrecorded, tokens = table.concat(list) }
            redis.call('SET', key, write_tombstone(tombstone), 'PX', life)
            if value then redis.call('SET', ended_key(key), value, 'PX', life) end
        end

        """

    /// For a script after which nobody may come who deletes the access tokens that it has voided.
    static let accessTokens = """
        -- Deletes what is kept of access tokens, and returns it. What Redis refuses is for the caller to do.
        local function forget_access_tokens(tokens)
            local digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
            local records = {}
            for _, token in ipairs(tokens) do
                local text = {}
                for position = 1, #token.hash, 3 do
                    local first, second, third = string.byte(token.hash, position, position + 2)
                    local bits = first * 65536 + second * 256 + third
                    for _, unit in ipairs({ 262144, 4096, 64, 1 }) do
                        local digit = math.floor(bits / unit) % 64 + 1
                        text[#text + 1] = string.sub(digits, digit, digit)
                    end
                end
                local key = 'at:' .. table.concat(text)
                local record = redis.pcall('GET', key)
                if type(record) == 'string' then records[#records + 1] = record end
                redis.pcall('DEL', key)
            end
            return records
        end

        """

    /// The cookie in a record.
    static func cookie(idle: Duration?, salt: SessionSalt?) -> [UInt8] {
        var writer = PackedWriter(capacity: 22)
        writer.number(idle?.wholeMilliseconds ?? 0, 6)
        writer.raw(salt?.bytes ?? [])
        return writer.bytes
    }

    /// The arguments of a script, as it takes them.
    static func arguments(_ values: any Argument...) -> [[UInt8]] {
        values.map(\.bytes)
    }

    /// Something that a script takes for an argument.
    protocol Argument {
        var bytes: [UInt8] { get }
    }
}

extension Int64: SessionScript.Argument {
    var bytes: [UInt8] { Array(String(self).utf8) }
}

extension UInt32: SessionScript.Argument {
    var bytes: [UInt8] { Array(String(self).utf8) }
}

extension String: SessionScript.Argument {
    var bytes: [UInt8] { Array(utf8) }
}

extension Bool: SessionScript.Argument {
    var bytes: [UInt8] { [UInt8(ascii: self ? "1" : "0")] }
}

extension [UInt8]: SessionScript.Argument {
    var bytes: [UInt8] { self }
}
