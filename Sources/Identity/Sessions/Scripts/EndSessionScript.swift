package import Text

/// Ends a session with all its grants: its record becomes a tombstone, so that nothing can be issued in its name any more.
///
/// The tombstone is left also where there was no record: a sign-in that is about to write one (it has announced itself in
/// the user's index) then finds the tombstone and gives up. So this is for session ids from our own tokens and indexes, never for
/// one that somebody merely claims.
///
/// A record that cannot be read becomes a tombstone too. Nobody knows the access tokens that only the record lists: they live to their expiry.
///
/// - Keys: `session:{<sid>}`, `session:{<sid>}:tokens`.
/// - Arguments: the reason (a raw value of `SessionEnd`); the tombstone's least life in milliseconds; 1 to let it live as long as
///   the session would have if that is longer, else 0; the caller's `now` in milliseconds; 1 if the end is to be put on record.
/// - Returns five elements: `ended`, `already` (a tombstone was there; it keeps its reason and its life) or `missing`; the
///   user's id in 16 bytes, zeros or empty if unknown; the hashes of all access tokens to delete; since when the end is to be put on record
///   and has not been, in milliseconds, or 0; the record as it was, until the end is finished, then empty. A repeated call lists the tokens again: the tombstone outlives them all.
///
/// Who has put the end on record says so by `RecordEndScript`.
package enum EndSessionScript {
    package static let source =
        SessionScript.record + SessionScript.tokens + """
            local key, overflow, now = KEYS[1], KEYS[2], clock(ARGV[4])
            local value, life, nobody = redis.call('GET', key), tonumber(ARGV[2]), string.rep('\\0', 32)
            local unrecorded = ARGV[5] == '1' and now or 0
            if not value then
                entomb(key, nobody, {}, ARGV[1], unrecorded, life, now)
                return { 'missing', '', {}, unrecorded, '' }
            end
            local is_readable, listed, since = pcall(function()
                if is_tombstone(value) then
                    local tombstone = read_tombstone(value)
                    return all_tokens(tombstone.tokens, overflow), tombstone.unrecorded
                end
                return all_tokens(read_session(value).tokens, overflow)
            end)
            if is_readable and since then
                return { 'already', string.sub(value, 2, 17), hashes_of(listed), since, redis.call('GET', ended_key(key)) or '' }
            end
            if ARGV[3] == '1' then life = math.max(life, redis.call('PTTL', key)) end
            local tokens = is_readable and listed or all_tokens('', overflow)
            local head = #value < 33 and nobody or string.sub(value, 2, 33)
            entomb(key, head, tokens, ARGV[1], unrecorded, life, now, is_readable and value)
            return { 'ended', string.sub(head, 1, 16), hashes_of(tokens), unrecorded, is_readable and value or '' }
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
        /// When the session ended, if that is still to be put on record.
        package let unrecordedSince: Timestamp?
        /// Who had something from the session, until its end is finished.
        package let clients: [ClientID]

        /// From the five elements of the reply; `nil` if they are none that the script gives.
        package init?(
            outcome: String, user: [UInt8], revoked: [[UInt8]], unrecorded: Int64, clients: [ClientID] = []
        ) {
            guard let outcome = Outcome(rawValue: outcome) else { return nil }
            self.outcome = outcome
            self.clients = clients
            userID = user.contains { $0 != 0 } ? UUID(bytes: user).map { UserID($0) } : nil
            self.revoked = revoked.compactMap { AccessTokenHash(bytes: $0) }
            unrecordedSince = unrecorded == 0 ? nil : Timestamp(milliseconds: unrecorded)
            guard self.revoked.count == revoked.count else { return nil }
        }
    }
}

/// Notes in a tombstone that the end is on record, forgets what the session was, and takes it out of its user's index.
///
/// - Keys: `session:{<sid>}`; the index, where it is known. Argument: the session's id.
package enum RecordEndScript {
    package static let source =
        SessionScript.record + """
            if KEYS[2] then redis.call('ZREM', KEYS[2], ARGV[1]) end
            redis.call('DEL', ended_key(KEYS[1]))
            local value = redis.call('GET', KEYS[1])
            if not value or not is_tombstone(value) then return 0 end
            local tombstone = read_tombstone(value)
            tombstone.unrecorded = 0
            redis.call('SET', KEYS[1], write_tombstone(tombstone), 'KEEPTTL')
            return 1
            """
}
