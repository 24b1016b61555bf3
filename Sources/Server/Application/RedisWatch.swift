import Identity
import Logging
import Networking
import Redis

/// Looks now and then whether Redis keeps what it is given: with eviction a session or the tombstone of a revoked one could vanish, without
/// a file on disk a restart signs everybody out.
///
/// It warns and serves on. A policy that somebody changes for an hour must not become an outage at the next start, and a Redis that does not
/// tell its settings is not one that is set wrongly. Who wants to refuse runs `kidoban doctor` first, which ends with 1.
actor RedisWatch {
    /// What is looked at, as metrics name it.
    private static let checks: [@Sendable (RedisFacts) -> Finding] = [
        RedisChecks.policy, RedisChecks.evictions, RedisChecks.persistence,
    ]

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let redis: RedisConnection
    private let logger: Logger
    private let tolerance: ClockTolerance
    private var findings: [Finding] = []
    /// What copies that have ended took along.
    private(set) var auditEventsLost = 0
    private var isSkewed = false
    /// How far Redis's clock is ahead of this copy's, as it was told last.
    private(set) var clockAhead: Duration?

    /// - Parameter redis: of the loop.
    init(_ redis: RedisConnection, _ tolerance: ClockTolerance, loop: EventLoop, logger: Logger) {
        self.redis = redis
        self.tolerance = tolerance
        self.loop = loop
        self.logger = logger
    }

    /// Whether each check has found a problem. One that could not be made, or not yet, is left out.
    var problems: [String: Bool] {
        var problems: [String: Bool] = [:]
        for finding in findings where finding.result != .skipped { problems[finding.name] = finding.isProblem }
        return problems
    }

    /// Looks, and says once what has changed. While Redis is away, what is known stays.
    func look() async {
        guard await redis.isReady else { return }
        await compareClocks()
        let facts = await RedisProbe.settings(of: redis)
        guard await redis.isReady else { return }
        if let lost = await AuditLosses(redis: redis).count() { auditEventsLost = lost }
        let before = findings
        findings = Self.checks.map { $0(facts) }
        for finding in findings where !before.contains(where: { $0.name == finding.name && $0.result == finding.result }) {
            report(finding, wasProblem: before.contains { $0.name == finding.name && $0.isProblem })
        }
    }

    /// Says once when the clocks differ by more than they may, and when they agree again.
    private func compareClocks() async {
        let asked = tolerance.now
        guard let reply = try? await redis.send(RedisCommand("TIME")),
            let offset = ClockOffset(redisTime: reply, asked: asked, answered: tolerance.now)
        else { return }
        clockAhead = offset.ahead
        let before = isSkewed
        isSkewed = tolerance.isExceeded(by: offset)
        guard isSkewed != before else { return }
        let fields: LogFields = ["ahead_ms": .integer(offset.ahead.components.seconds * 1000)]
        if isSkewed {
            logger.warning("the clock of Redis and ours differ: have all machines keep time with NTP", fields)
        } else {
            logger.info("the clock of Redis and ours agree again", fields)
        }
    }

    private func report(_ finding: Finding, wasProblem: Bool) {
        let fields: LogFields = ["check": .string(finding.name), "found": .string(finding.detail)]
        switch finding.result {
        case .problem(let remedy):
            logger.warning("Redis may lose what it has to keep", fields.merging(["remedy": .string(remedy)]))
        case .ok, .advice:
            if wasProblem { logger.info("Redis keeps what it has to keep again", fields) }
        case .skipped:
            logger.info("Redis does not tell whether it keeps what it has to keep", fields)
        }
    }
}
