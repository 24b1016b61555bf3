package import Text

/// Ends a session with all its grants: its record becomes a tombstone, so that nothing can be issued in its name any more.
///
/// The tombstone is left also where there was no record: a begin that Redis carries out late, after its caller has given up, finds it and
/// writes nothing. So this is for session ids from our own tokens and indexes, never for one that somebody merely claims.
///
/// A record that cannot be read becomes a tombstone too. Nobody knows the access tokens that only the record lists: they live to their expiry.
///
/// - Keys: `session:{<sid>}`, `session:{<sid>}:tokens`; then access tokens whose records are wanted.
/// - Arguments: the reason (a raw value of `SessionEnd`); the tombstone's least life in milliseconds; 1 to let it live as long as
///   the session would have if that is longer, else 0; the caller's `now` in milliseconds; 1 if the end is to be put on record.
/// - Returns six elements: `ended`, `already` (a tombstone was there; it keeps its reason and its life) or `missing`; the
///   user's id in 16 bytes, zeros or empty if unknown; the hashes of all access tokens to delete, one behind the other; since when the end may
///   have to be put on record, in milliseconds, or 0; the record as it was, until the end is finished, then empty; the records that are
///   wanted, nil for none. A repeated call lists the tokens again: the tombstone outlives them all.
///
/// `FinishEndScript` does the rest.
package enum EndSessionScript {
    package static let source =
        SessionScript.reading + SessionScript.tokens + SessionScript.tombstones + """
            local key, overflow, now = KEYS[1], KEYS[2], clock(ARGV[4])
            local value, life, nobody = redis.call('GET', key), tonumber(ARGV[2]), string.rep('\\0', 32)
            local unrecorded, records = ARGV[5] == '1' and now or 0, {}
            for i = 3, #KEYS do records[i - 2] = redis.call('GET', KEYS[i]) end
            if not value then
                entomb(key, nobody, {}, ARGV[1], unrecorded, life, now)
                return { 'missing', '', '', unrecorded, '', records }
            end
            local is_readable, listed, since = pcall(function()
                if is_tombstone(value) then
                    local tombstone = read_tombstone(value)
                    return all_tokens(tombstone.tokens, overflow), tombstone.unrecorded
                end
                return all_tokens(read_session(value).tokens, overflow)
            end)
            if is_readable and since then
                return { 'already', string.sub(value, 2, 17), hashes_of(listed), since, redis.call('GET', ended_key(key)) or '', records }
            end
            if ARGV[3] == '1' then life = math.max(life, redis.call('PTTL', key)) end
            local tokens = is_readable and listed or all_tokens('', overflow)
            local head = #value < 33 and nobody or string.sub(value, 2, 33)
            entomb(key, head, tokens, ARGV[1], unrecorded, life, now, value)
            return { 'ended', string.sub(head, 1, 16), hashes_of(tokens), unrecorded, value, records }
            """

    static func arguments(
        reason: SessionEnd, tombstone: Duration = SessionTombstone.standardLife, isRecorded: Bool = false, at now: Timestamp
    ) -> [[UInt8]] {
        SessionScript.arguments(
            reason.rawValue, tombstone.wholeMilliseconds, reason.outlivesTombstone, now.milliseconds, isRecorded)
    }

    package enum Outcome: String, Sendable, CaseIterable {
        case ended, already, missing
    }

    package struct Reply: Equatable, Sendable {
        package let outcome: Outcome
        /// `nil` if the record did not say.
        package let userID: UserID?
        /// Access tokens that must be deleted before the end is confirmed.
        package let revoked: [AccessTokenHash]
        /// When the session ended, if that may still have to be put on record.
        package let unrecordedSince: Timestamp?
        /// Whether the end is still to be finished.
        package let isUnfinished: Bool
        /// Who had something from the session, until its end is finished.
        package let clients: [ClientID]
        /// What was kept of the tokens that were wanted; nil for those of which nothing is.
        package let records: [AccessTokenHash: [UInt8]?]

        /// From the six elements of the reply; `nil` if they are none that the script gives.
        package init?(
            outcome: String, user: [UInt8], revoked: [UInt8], unrecorded: Int64, isUnfinished: Bool = false,
            clients: [ClientID] = [], records: [(AccessTokenHash, [UInt8]?)] = []
        ) {
            guard let outcome = Outcome(rawValue: outcome), let revoked = AccessTokenHash.list(revoked) else { return nil }
            self.outcome = outcome
            self.isUnfinished = isUnfinished
            self.clients = clients
            self.records = Dictionary(records) { first, _ in first }
            userID = user.contains { $0 != 0 } ? UUID(bytes: user).map { UserID($0) } : nil
            self.revoked = revoked
            unrecordedSince = unrecorded == 0 ? nil : Timestamp(milliseconds: unrecorded)
        }
    }
}

/// The last of an end: tells of it unless somebody has, deletes the access tokens of the session, takes it out of its user's index, and forgets what
/// it was. One step, so that nothing is forgotten before what it is kept for is done. A repeated call notes in the tombstone that the end is on record: the
/// event of the first may be lost with its process.
///
/// - Keys: `session:{<sid>}`; the index, where it is known; the stream of ends, where it is told of; the access tokens.
/// - Arguments: the session's id; 1 if the index is known, 1 if the caller puts the end on record next, 1 if it is told of, else 0; what `XADD` takes
///   behind the key.
/// - Returns nil if the end was finished before, else the id of what was told, or 1.
package enum FinishEndScript {
    package static let source =
        RevocationLog.Entry.telling + """
            local key, ended, position = KEYS[1], KEYS[1] .. '\(SessionScript.endedSuffix)', 2
            local index = ARGV[2] == '1' and KEYS[2]
            if index then position = 3 end
            local told = redis.call('PTTL', ended) ~= -2 and 1
            if ARGV[4] == '1' then
                local words = { unpack(ARGV, 5) }
                if told or is_repeated(words) then told = tell(KEYS[position], words) end
                position = position + 1
            end
            redis.call('DEL', ended, unpack(KEYS, position))
            if index then redis.call('ZREM', index, ARGV[1]) end
            local value = ARGV[3] == '1' and not told and redis.call('GET', key)
            if value and string.byte(value) == \(SessionRecord.tombstoneMark) then
                redis.call('SET', key, string.sub(value, 1, 33) .. string.rep('\\0', 6) .. string.sub(value, 40), 'KEEPTTL')
            end
            return told
            """
}
