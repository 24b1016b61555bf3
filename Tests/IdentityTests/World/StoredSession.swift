import Redis
import Text

@testable import Identity

/// An instant in a session's record.
enum StoredInstant {
    case authenticated, used
    /// Of the first grant.
    case rotated
}

/// A session's record, looked at and changed as the scripts would.
extension SessionStore {
    /// Begins a session with an access token that somebody else stores; nil when something is there in its place.
    func create(
        _ session: Session, idle: Duration, accessToken: IssuedAccessToken?, at now: Timestamp
    ) async throws -> Session? {
        try await begin(session, idle: idle, at: now) { _ in
            accessToken.map { NewAccessToken(issued: $0, record: nil) }
        }?.session
    }

    func bytes(of id: SessionID) async throws -> [UInt8]? {
        try await redis.get(SessionRecord.key(id))
    }

    /// Puts another record in the place of a session's.
    func replace(_ id: SessionID, with bytes: [UInt8]) async throws {
        var command = RedisCommand("SET", SessionRecord.key(id))
        command.append(bytes)
        command.append("KEEPTTL")
        _ = try await redis.send(command)
    }

    /// Makes what a session's record says of a moment older.
    func age(_ instant: StoredInstant, of id: SessionID, by duration: Duration) async throws {
        guard var bytes = try await bytes(of: id) else { return }
        let offset =
            switch instant {
            case .authenticated: 39
            case .used: 51
            // Behind the lengths of the blocks before it, its own, number, mode, generation and parent.
            case .rotated: Self.grants(in: bytes) + 2 + 4 + 1 + 4 + 4
            }
        var reader = PackedReader(bytes, at: offset)
        var writer = PackedWriter()
        writer.number(Int64(reader.number(6)) - duration.wholeMilliseconds, 6)
        bytes.replaceSubrange(offset..<offset + 6, with: writer.bytes)
        try await replace(id, with: bytes)
    }

    /// Where the first grant begins.
    private static func grants(in bytes: [UInt8]) -> Int {
        var reader = PackedReader(bytes, at: 57)
        for lengthSize in [2, 2, 1, 2] { _ = reader.block(lengthSize: lengthSize) }
        return reader.position
    }

    /// The access tokens that a session or its tombstone lists.
    func listedTokens(of id: SessionID) async throws -> [AccessTokenHash] {
        guard let bytes = try await bytes(of: id) else { return [] }
        var list: ArraySlice<UInt8>
        if bytes[0] == SessionRecord.liveMark {
            var reader = PackedReader(bytes, at: 57)
            for lengthSize in [2, 2, 1] { _ = reader.block(lengthSize: lengthSize) }
            list = reader.block(lengthSize: 2)
        } else {
            var reader = PackedReader(bytes, at: 39)
            _ = reader.block(lengthSize: 1)
            list = bytes[reader.position...]
        }
        var hashes: [AccessTokenHash] = []
        while !list.isEmpty {
            if let hash = AccessTokenHash(bytes: Array(list.prefix(18))) { hashes.append(hash) }
            list = list.dropFirst(32)
        }
        let others = try await redis.send(RedisCommand("ZRANGE", SessionRecord.tokensKey(id), "0", "-1")).elements ?? []
        for case .bytes(let name) in others {
            if let hash = AccessTokenHash(bytes: Array(name.prefix(18))) { hashes.append(hash) }
        }
        return hashes
    }
}
