package import Redis

/// How many audit events copies took along when they ended without PostgreSQL: who could be asked about it is gone, so Redis remembers it for a
/// day.
package struct AuditLosses: Sendable {
    private static let key = "audit:lost"
    private static let life: Duration = .seconds(86_400)

    private static let note = RedisScript(
        name: "audit_lost",
        source: "redis.call('INCRBY', KEYS[1], ARGV[1]) return redis.call('PEXPIRE', KEYS[1], ARGV[2])", whenFull: true)

    private let redis: RedisConnection

    package init(redis: RedisConnection) {
        self.redis = redis
    }

    /// If Redis is away too, only the log tells.
    package func note(_ count: Int) async {
        guard count > 0 else { return }
        let arguments = [String(count), String(Self.life.wholeMilliseconds)].map { [UInt8]($0.utf8) }
        _ = try? await redis.run(Self.note, keys: [Self.key], arguments: arguments)
    }

    /// Of the last day; nil when Redis does not say.
    package func count() async -> Int? {
        guard let reply = try? await redis.send(RedisCommand("GET", Self.key)) else { return nil }
        return reply.text.flatMap { Int($0) } ?? 0
    }
}
