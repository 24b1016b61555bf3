package import Redis
import Text

/// The answers to introspection in Redis, under the hash of the access token they speak of. The token itself is never stored.
package struct AccessTokenStore: Sendable {
    private let redis: RedisConnection
    private let log: RevocationLog?
    private let hot: HotTokens?

    /// - Parameters:
    ///   - log: where it is told what ends; nil for nowhere.
    ///   - hot: what its loop remembers; nil for nothing.
    package init(redis: RedisConnection, log: RevocationLog? = nil, hot: HotTokens? = nil) {
        self.redis = redis
        self.log = log
        self.hot = hot
    }

    /// The rendered answer; nil for a token that is unknown, expired or revoked. One `GET`.
    /// - Throws: the store's failure.
    package func record(_ token: AccessTokenHash) async throws(ServiceFailure) -> [UInt8]? {
        try await askRedis { () throws(RedisError) in try await redis.get(token.key) }
    }

    /// The same for several, in their order, in one round trip.
    /// - Throws: the store's failure.
    func records(_ tokens: [AccessTokenHash]) async throws(ServiceFailure) -> [[UInt8]?] {
        try await askRedis { () throws(RedisError) in try await redis.get(tokens.map(\.key)) }
    }

    /// Like `record`, but perhaps from memory: for who asks often, and changes nothing.
    /// - Throws: the store's failure.
    func recalledRecord(_ token: AccessTokenHash) async throws(ServiceFailure) -> [UInt8]? {
        guard let hot else { return try await record(token) }
        return try await askRedis { () throws(RedisError) in try await hot.record(token, redis) }
    }

    /// The same as it is written for a reader.
    /// - Parameter write: writes it, always the same for this reader; nil for who may not see it.
    /// - Throws: the store's failure.
    func recalledAnswer(
        _ token: AccessTokenHash, for reader: any AnswerReader, writing write: ([UInt8]) -> [UInt8]?
    ) async throws(ServiceFailure) -> [UInt8]? {
        guard let hot else { return try await record(token).flatMap(write) }
        return try await askRedis { () throws(RedisError) in try await hot.answer(token, for: reader, redis, writing: write) }
    }

    /// The same for several, in their order.
    /// - Throws: the store's failure.
    func recalledRecords(_ tokens: [AccessTokenHash]) async throws(ServiceFailure) -> [[UInt8]?] {
        guard let hot else { return try await records(tokens) }
        return try await askRedis { () throws(RedisError) in try await hot.records(tokens, redis) }
    }

    /// Stores the answer for as long as the token lives. Value and life are set in one command.
    /// - Throws: the store's failure.
    func store(_ record: [UInt8], for token: AccessTokenHash, life: Duration) async throws(ServiceFailure) {
        var command = RedisCommand("SET", token.key)
        command.append(record)
        command.append("PX")
        command.append(max(1, life.wholeMilliseconds))
        _ = try await askRedis { () throws(RedisError) in try await redis.send(command) }
    }

    /// Notes that a token was made of another one, so that it ends with that.
    /// - Parameter life: of the other one.
    /// - Throws: the store's failure.
    func bind(_ token: AccessTokenHash, to source: AccessTokenHash, life: Duration) async throws(ServiceFailure) {
        var adding = RedisCommand("SADD", source.descendantsKey)
        adding.append(token.bytes)
        var lasting = RedisCommand("PEXPIRE", source.descendantsKey)
        lasting.append(max(1, life.wholeMilliseconds))
        let commands = [adding, lasting]
        _ = try await askRedis { () throws(RedisError) in try await redis.send(commands) }
    }

    /// Ends what was made of tokens that are revoked, and what was made of that.
    /// - Throws: the store's failure; some may be left then, and the call may be repeated.
    func endDescendants(of sources: [AccessTokenHash]) async throws(ServiceFailure) {
        var waiting = sources
        while !waiting.isEmpty {
            waiting = try await descendants(of: waiting)
            if !waiting.isEmpty { try await end(waiting) }
        }
    }

    /// The tokens that were made of tokens, in one round trip.
    private func descendants(of sources: [AccessTokenHash]) async throws(ServiceFailure) -> [AccessTokenHash] {
        let commands = sources.map { RedisCommand("SMEMBERS", $0.descendantsKey) }
        let replies = try await askRedis { () throws(RedisError) in try await redis.send(commands) }
        return replies.flatMap { $0.elements ?? [] }.compactMap { element in
            guard case .bytes(let bytes) = element else { return nil }
            return AccessTokenHash(bytes: bytes)
        }
    }

    /// Makes tokens unknown that somebody holds, and tells of them: in one go, so that neither happens without the other. First of all
    /// their records are read, because they say of whom to tell whom.
    /// - Parameters:
    ///   - known: their records, where they have been read.
    ///   - whole: what ends with all of them, if they are told of as one; nil to tell of each.
    ///   - isNews: whether that is told even if none of its tokens is left.
    /// - Throws: the store's failure; some may be gone then, and the call may be repeated.
    func end(
        _ tokens: [AccessTokenHash], knowing known: [[UInt8]]? = nil, with whole: Revocation? = nil, isNews: Bool = false
    ) async throws(ServiceFailure) {
        guard let log else { return try await delete(tokens) }
        let records = if let known { known } else { try await self.records(tokens).compactMap { $0 } }
        var writes: [LastingWrite] = []
        if let whole {
            if isNews || !records.isEmpty { writes = [log.write(whole, with: records)] }
        } else {
            writes = log.writes(records)
        }
        writes += tokens.map(Self.deletion)
        let all = writes
        guard !all.isEmpty else { return }
        // Before, for who is asked meanwhile, and after, for who was asked before and remembers it only now.
        hot?.forget(tokens)
        defer { hot?.forget(tokens) }
        try await askRedis { () throws(RedisError) in try await redis.sendLasting(all) }
    }

    /// What is told of the end of all tokens that somebody holds, by the one who deletes them: it says of whom to tell whom.
    /// - Parameters:
    ///   - known: their records, as far as they have been read.
    ///   - deleted: the records of those that are gone already.
    ///   - isNews: whether it is told even if none of its tokens is left.
    /// - Returns: nil for nothing.
    /// - Throws: the store's failure.
    func revocationEntry(
        for tokens: [AccessTokenHash], known: [AccessTokenHash: [UInt8]?], deleted: [[UInt8]] = [], of whole: Revocation,
        isNews: Bool
    ) async throws(ServiceFailure) -> RevocationLog.Entry? {
        guard let log else { return nil }
        let others = tokens.filter { known[$0] == nil }
        var records = deleted + tokens.compactMap { known[$0] ?? nil }
        if !others.isEmpty { records += try await self.records(others).compactMap(\.self) }
        return isNews || !records.isEmpty ? log.entry(whole, with: records) : nil
    }

    /// Has `delete` delete tokens, and remembers none of them.
    func forgetting<Result>(
        _ tokens: [AccessTokenHash], _ delete: () async throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        // Before, for who is asked meanwhile, and after, for who was asked before and remembers it only now.
        hot?.forget(tokens)
        defer { hot?.forget(tokens) }
        return try await delete()
    }

    /// Makes tokens unknown at once, and so that a failover of Redis does not bring them back.
    /// - Throws: the store's failure; some may be gone then, and the call may be repeated.
    func delete(_ tokens: [AccessTokenHash]) async throws(ServiceFailure) {
        guard !tokens.isEmpty else { return }
        hot?.forget(tokens)
        defer { hot?.forget(tokens) }
        // One key a command: each may live in a slot of its own.
        try await askRedis { () throws(RedisError) in try await redis.sendLasting(tokens.map(Self.deletion)) }
    }

    private static func deletion(_ token: AccessTokenHash) -> LastingWrite {
        LastingWrite(RedisCommand("DEL", token.key))
    }
}
