import Identity
import Logging
import Networking
import Postgres
import Redis

/// What the parts of one loop stand on: its connections to the stores, its keys, and the books that it keeps.
struct LoopParts: Sendable {
    let loop: EventLoop
    let logger: Logger
    let postgres: PostgresPool
    let redis: RedisConnection
    let audit: AuditLog
    let metrics: IdentityMetrics
    let keys: LoopSlot<KeyRing?>
    let keySets: KeySets
    let jobs: JobQueue
    let outbox: MailOutbox
    let limiter: Limiter
}
