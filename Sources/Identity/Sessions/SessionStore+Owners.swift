import Redis

/// Where a walk over the sessions has got to.
package struct SessionScanCursor: Sendable {
    fileprivate let text: String
}

/// What one step of a walk over Redis's keys has found.
struct SessionScan: Sendable {
    /// Users with an index of sessions.
    var owners: [UserID] = []
    /// Sessions that live, whether an index names them or not.
    var sessions: [UserID: [SessionID]] = [:]
    /// Nil at the end.
    var next: SessionScanCursor?
}

extension SessionStore {
    /// About so many keys are looked at at once, so that Redis is not kept from other work.
    private static let scanCount: Int64 = 1000

    /// Some of the sessions, and of the users with an index of sessions. From `nil` until there is no next cursor, each comes that is there
    /// all the while, some of them more than once. Sessions are found by themselves, because Redis may have evicted the
    /// index that named them.
    /// - Throws: the store's failure.
    func scan(from cursor: SessionScanCursor?) async throws(IdentityError) -> SessionScan {
        // Both `session:{<sid>}` and `user:<id>`.
        var command = RedisCommand("SCAN", cursor?.text ?? "0", "MATCH", "[su]*")
        command.append("COUNT")
        command.append(Self.scanCount)
        let asked = command
        let reply = try await mapRedisErrors { () throws(RedisError) in try await redis.send(asked) }
        guard let parts = reply.elements, parts.count == 2, let next = parts[0].text, let keys = parts[1].elements else {
            throw .fault()
        }
        var scan = SessionScan(next: next == "0" ? nil : SessionScanCursor(text: next))
        var ids: [SessionID] = []
        for key in keys.compactMap(\.text) {
            if let owner = SessionIndex.owner(key) {
                scan.owners.append(owner)
            } else if let id = SessionRecord.id(ofKey: key) {
                ids.append(id)
            }
        }
        scan.sessions = try await live(ids)
        return scan
    }

    /// The sessions among these that have not ended, by user.
    private func live(_ ids: [SessionID]) async throws(IdentityError) -> [UserID: [SessionID]] {
        guard !ids.isEmpty else { return [:] }
        let end = String(SessionRecord.headLength - 1)
        let commands = ids.map { RedisCommand("GETRANGE", SessionRecord.key($0), "0", end) }
        let replies = try await mapRedisErrors { () throws(RedisError) in try await redis.send(commands) }
        var sessions: [UserID: [SessionID]] = [:]
        for (id, reply) in zip(ids, replies) {
            guard case .bytes(let head) = reply, let userID = SessionRecord.owner(ofHead: head) else { continue }
            sessions[userID, default: []].append(id)
        }
        return sessions
    }

    /// Whose a session is that has a record which cannot be read; nil unless its first bytes and the user's index agree.
    /// - Throws: the store's failure.
    func owner(ofDamaged id: SessionID) async throws(IdentityError) -> UserID? {
        guard let owner = try await live([id]).keys.first, try await ids(of: owner).contains(id) else { return nil }
        return owner
    }
}
