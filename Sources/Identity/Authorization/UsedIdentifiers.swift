import Crypto
package import Redis
import Text

/// Names that may be used once: of client assertions and of DPoP proofs. In Redis, as a hash, for as long as what they name could be accepted.
package struct UsedIdentifiers: Sendable {
    package enum Kind: String, Sendable {
        case assertion, proof
    }

    private let redis: RedisConnection

    package init(redis: RedisConnection) {
        self.redis = redis
    }

    /// - Parameter owner: whose it is: names of different ones do not meet.
    /// - Returns: whether it is used for the first time.
    /// - Throws: `ServiceFailure`; then it may not be taken, since nobody knows.
    package func use(_ kind: Kind, _ id: String, of owner: String, life: Duration) async throws(ServiceFailure) -> Bool {
        var command = RedisCommand("SET", Self.key(kind, id, owner), "", "NX", "PX")
        command.append(max(1, life.wholeMilliseconds))
        let reply = try await askRedis { () throws(RedisError) in try await redis.send(command) }
        return reply != .null
    }

    /// Makes a name good again that the caller has used, and that has led to nothing; of no consequence if it fails.
    package func giveBack(_ kind: Kind, _ id: String, of owner: String) async {
        let command = RedisCommand("DEL", Self.key(kind, id, owner))
        _ = try? await askRedis { () throws(RedisError) in try await redis.send(command) }
    }

    private static func key(_ kind: Kind, _ id: String, _ owner: String) -> String {
        "used:\(kind.rawValue):" + SHA256.hash("\(owner)\0\(id)").hex
    }
}
