import Redis
import Text

/// What a client that goes has got: grants in the sessions of users, access tokens, and codes and requests that wait. Nothing of it may be left for
/// a client that is added later under the same id.
///
/// Redis has no list of it, which would cost every sign-in something. Whoever ends it walks all keys, some hundreds at a time; a client is
/// seldom deleted.
package struct ClientRemains: Sendable {
    private static let batch = "500"

    private let sessions: Sessions

    package init(_ sessions: Sessions) {
        self.sessions = sessions
    }

    /// Ends all of it that was there when the call began, and perhaps some that came since.
    /// - Parameter keepsGrants: whether grants stay, for a client that may come back: it gets other access tokens by them then.
    /// - Throws: `IdentityError.unavailable`; some may be left then, and the call may be repeated.
    package func end(
        of id: ClientID, keepsGrants: Bool = false,
        caller: Caller = Caller(address: nil, referenceID: nil, device: DeviceDescription(""))
    ) async throws(IdentityError) {
        var cursor = "0"
        repeat {
            let command = RedisCommand("SCAN", cursor, "COUNT", Self.batch)
            let reply = try await mapRedisErrors { () throws(RedisError) in try await sessions.store.redis.send(command) }
            guard let parts = reply.elements, parts.count == 2, let next = parts[0].text, let keys = parts[1].elements else {
                throw .fault()
            }
            let found = try await find(id, among: keys.compactMap(\.text).filter(Self.isHolder))
            try await endTokens(of: id, found.compactMap { AccessTokenHash(key: $0) })
            if !keepsGrants {
                for session in found.compactMap(SessionRecord.id(ofKey:)) { try await endGrants(of: id, in: session, caller) }
            }
            cursor = next
        } while cursor != "0"
    }

    /// Ends what waits, and names the sessions and access tokens that name the client.
    private func find(_ id: ClientID, among keys: [String]) async throws(IdentityError) -> [String] {
        guard !keys.isEmpty else { return [] }
        let reply = try await mapRedisErrors { () throws(RedisError) in
            try await sessions.store.redis.run(Self.find, keys: keys, arguments: [Array(id.text.utf8)])
        }
        guard let found = reply.elements else { throw .fault() }
        return found.compactMap(\.text)
    }

    private func endTokens(of id: ClientID, _ hashes: [AccessTokenHash]) async throws(IdentityError) {
        guard !hashes.isEmpty else { return }
        let (tokens, installation) = (sessions.tokens, sessions.issuer.installation)
        try await mapServiceFailures { () throws(ServiceFailure) in
            let records = zip(hashes, try await tokens.records(hashes)).compactMap { hash, record in record.map { (hash, $0) } }
            let own = records.filter { Principal($0.1, in: installation)?.clientID == id }
            guard !own.isEmpty else { return }
            // First, because what was made of a token that is gone would not be found again; and once more, because some may be made
            // until then.
            try await tokens.endDescendants(of: own.map(\.0))
            try await tokens.end(own.map(\.0), knowing: own.map(\.1))
            try await tokens.endDescendants(of: own.map(\.0))
        }
    }

    private func endGrants(of id: ClientID, in session: SessionID, _ caller: Caller) async throws(IdentityError) {
        guard case .live(let record) = try await sessions.store.record(session, at: sessions.system.now()) else { return }
        for grant in record.grants where grant.clientID == id {
            try await sessions.endGrant(grant.id, in: session, of: record.userID, client: id, by: .system, caller)
        }
    }

    /// Whether a key may be that of something of a client.
    private static func isHolder(_ key: String) -> Bool {
        SessionRecord.id(ofKey: key) != nil || AccessTokenHash(key: key) != nil
            || ["authcode:", "device:", "par:", "authsession:"].contains(where: key.hasPrefix)
    }

    /// Deletes what waits, and names the sessions and tokens that name the client.
    private static let find = RedisScript(
        name: "find_client_remains",
        source: """
            local found, quoted = {}, '"' .. ARGV[1] .. '"'
            for _, key in ipairs(KEYS) do
                local kind = string.match(key, '^%a+')
                if kind == 'authcode' or kind == 'device' then
                    local request = redis.call('HGET', key, 'request') or ''
                    if string.find(request, '{"client":' .. quoted, 1, true) == 1 then redis.call('DEL', key) end
                else
                    local value = redis.call('GET', key) or ''
                    if kind == 'par' or kind == 'authsession' then
                        if string.find(value, '[' .. quoted, 1, true) == 1 then redis.call('DEL', key) end
                    elseif string.find(value, ARGV[1], 1, true) then
                        found[#found + 1] = key
                    end
                end
            end
            return found
            """)
}
