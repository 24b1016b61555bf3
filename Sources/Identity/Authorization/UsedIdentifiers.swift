import Crypto
package import Redis
import Text

/// Names that may be used once: of client assertions and of DPoP proofs. In Redis, as a hash, for as long as what they name could be accepted.
package struct UsedIdentifiers: Sendable {
    package enum Kind: String, Sendable {
        case assertion, proof
    }

    /// That a request has used a name, by which it alone makes it good again.
    package struct Use: Sendable {
        fileprivate let key: String
        fileprivate let mark: [UInt8]
    }

    /// Key: the name. Argument: the mark. A request that was given up may come to Redis late, when another one has used the name.
    private static let freeing = RedisScript(
        name: "give_back_identifier",
        source: """
            if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
            return 0
            """)

    private let redis: RedisConnection

    package init(redis: RedisConnection) {
        self.redis = redis
    }

    /// - Parameters:
    ///   - owner: whose it is: names of different ones do not meet.
    ///   - mark: of this very request, if it may give the name back.
    /// - Returns: nil for a name that was used before.
    /// - Throws: `ServiceFailure`; then it may not be taken, since nobody knows.
    package func use(
        _ kind: Kind, _ id: String, of owner: String, life: Duration, mark: [UInt8] = []
    ) async throws(ServiceFailure) -> Use? {
        let use = Use(key: Self.key(kind, id, owner), mark: mark)
        var command = RedisCommand("SET", use.key)
        command.append(mark)
        command.append("NX")
        command.append("PX")
        command.append(max(1, life.wholeMilliseconds))
        let reply = try await askRedis { () throws(RedisError) in try await redis.send(command) }
        return reply == .null ? nil : use
    }

    /// Makes a name good again that has led to nothing; of no consequence if it fails.
    package func giveBack(_ use: Use) async {
        _ = try? await askRedis { () throws(RedisError) in
            try await redis.run(Self.freeing, keys: [use.key], arguments: [use.mark])
        }
    }

    private static func key(_ kind: Kind, _ id: String, _ owner: String) -> String {
        "used:\(kind.rawValue):" + SHA256.hash("\(owner)\0\(id)").hex
    }
}
