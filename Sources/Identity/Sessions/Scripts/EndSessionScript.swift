package import Text

/// Ends a session: its record becomes a tombstone, so that nothing can be issued in its name any more.
///
/// The tombstone is left also where there was no record: a sign-in that is about to write one (it has announced itself in
/// the user's index) then finds the tombstone and gives up. So this is for session ids from our own tokens and indexes, never for
/// one that somebody merely claims.
///
/// - Key: `session:<sid>`.
/// - Arguments: the reason (a raw value of `SessionEnd`); the tombstone's least life in milliseconds; 1 to let it live as long as
///   the session would have if that is longer, else 0; the caller's `now` in milliseconds; 1 if the end is to be put on record.
/// - Returns four elements: `ended`, `already` (a tombstone was there; it keeps its reason and its life) or `missing`; the
///   user's id, empty if unknown; the hashes of all access tokens to delete; since when the end is to be put on record and has not been,
///   in milliseconds, or empty. A repeated call lists the tokens again: the tombstone outlives them all.
///
/// Who has put the end on record says so with `HDEL session:<sid> unrecorded`.
package enum EndSessionScript {
    package static let source = """
        local key = KEYS[1]
        local life, as_long_as_session, now = tonumber(ARGV[2]), ARGV[3] == '1', clock(ARGV[4])

        local hashes, kept, ended, user, unrecorded = {}, {}, false, '', ''
        local reply = redis.call('HGETALL', key)
        for i = 1, #reply, 2 do
            local field, value = reply[i], reply[i + 1]
            local is_token = #field == 64
            if is_token then
                hashes[#hashes + 1] = field
                local expiry = tonumber(string.match(value, '%d+$')) or 0
                life = math.max(life, expiry + \(RefreshSessionScript.listingMargin) - now)
            end
            if field == 'ended' then ended = true end
            if field == 'user' then user = value end
            if field == '\(unrecorded)' then unrecorded = value end
            if is_token or field == 'user' or field == 'salt' then
                kept[#kept + 1] = field
                kept[#kept + 1] = value
            end
        end
        if ended then return { 'already', user, hashes, unrecorded } end

        if as_long_as_session then life = math.max(life, redis.call('PTTL', key)) end
        redis.call('DEL', key)
        redis.call('HSET', key, 'ended', ARGV[1], unpack(kept))
        if ARGV[5] == '1' then
            unrecorded = string.format('%.0f', now)
            redis.call('HSET', key, '\(unrecorded)', unrecorded)
        end
        redis.call('PEXPIRE', key, life)
        return { #reply > 0 and 'ended' or 'missing', user, hashes, unrecorded }
        """

    /// The field of a tombstone that says since when its event is missing.
    static let unrecorded = "unrecorded"

    package static func key(_ id: SessionID) -> String {
        SessionRecord.key(id)
    }

    package static func arguments(
        reason: SessionEnd, tombstone: Duration = SessionTombstone.standardLife, isRecorded: Bool = false, at now: Timestamp
    ) -> [String] {
        [
            reason.rawValue, String(tombstone.wholeMilliseconds), reason.outlivesTombstone ? "1" : "0",
            String(now.milliseconds), isRecorded ? "1" : "0",
        ]
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

        /// From the four elements of the reply; `nil` if they are none that the script gives.
        package init?(outcome: String, userID: String, revoked: [String], unrecorded: String) {
            guard let outcome = Outcome(rawValue: outcome) else { return nil }
            self.outcome = outcome
            self.userID = UserID(userID)
            self.revoked = revoked.compactMap { AccessTokenHash(hex: $0) }
            unrecordedSince = Int64(unrecorded).map { Timestamp(milliseconds: $0) }
            guard self.revoked.count == revoked.count, unrecorded.isEmpty || unrecordedSince != nil else { return nil }
        }
    }
}
