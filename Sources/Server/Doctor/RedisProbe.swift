import Identity
import Logging
import Networking
import Redis
import Text

/// What a Redis server says of itself, as far as our user may ask.
struct RedisFacts: Sendable {
    /// The lines of `INFO`; empty when it may not be asked.
    var info: [String: String] = [:]
    /// Nil when it may not be asked.
    var appendFsync: String?
    var clock: ClockOffset?
    /// What our user may not do of what the server does. Nil when that cannot be told.
    var denied: [String]?
}

/// Asks Redis, as the server would.
actor RedisProbe {
    enum Outcome: Sendable {
        case away(reason: String)
        case facts(RedisFacts)
    }

    private var configuration: RedisConfiguration
    private nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let resolving: BlockingPool
    /// Whether what only hot tokens need is tried as well.
    private let triesTracking: Bool

    init(_ configuration: RedisConfiguration, triesTracking: Bool, loop: EventLoop, resolving: BlockingPool) {
        self.triesTracking = triesTracking
        self.configuration = configuration
        // A replica is told apart by its role, with a remedy.
        self.configuration.acceptsReplica = true
        self.loop = loop
        self.resolving = resolving
    }

    func run() async -> Outcome {
        let redis = RedisConnection(configuration, loop: loop, resolving: resolving, logger: .disabled)
        loop.start { await redis.run() }
        let outcome = await ask(redis)
        await redis.close()
        return outcome
    }

    private func ask(_ redis: RedisConnection) async -> Outcome {
        while await !redis.isReady {
            if let failure = await redis.lastFailure { return .away(reason: Self.words(failure)) }
            await loop.sleep(for: .milliseconds(10))
        }
        var facts = await Self.settings(of: redis)
        facts.clock = await clock(redis)
        if facts.info["role", default: "master"] == "master" {
            facts.denied = await RedisRights.denied(to: redis)
            if triesTracking, let denied = facts.denied { facts.denied = await denied + deniedForTracking(redis) }
        }
        return .facts(facts)
    }

    private func deniedForTracking(_ redis: RedisConnection) async -> [String] {
        let denied = await RedisRights.deniedForTracking(to: redis)
        let prefix = HotTokenLoops.tokenPrefix
        let tracking = RedisKeyTracking(
            configuration, prefixes: [prefix], patience: .seconds(1), loop: loop, resolving: resolving, logger: .disabled
        ) { _ in }
        guard await tracking.refusal() != nil else { return denied }
        return denied + ["CLIENT ID, CLIENT TRACKING or SUBSCRIBE __redis__:invalidate"]
    }

    /// What the server says of how it is set up; empty as far as it may not be asked.
    static func settings(of redis: RedisConnection) async -> RedisFacts {
        var facts = RedisFacts()
        if let text = (try? await redis.send(RedisCommand("INFO")))?.text { facts.info = fields(text) }
        if let pair = (try? await redis.send(RedisCommand("CONFIG", "GET", "appendfsync")))?.elements, pair.count == 2 {
            facts.appendFsync = pair[1].text
        }
        return facts
    }

    private static func words(_ failure: StreamError) -> String {
        switch failure {
        case .timedOut: "no answer in time"
        case .closed: "the connection was closed"
        case .system(let error): "\(error)"
        case .tls(let reason): "no trusted TLS (\(reason))"
        }
    }

    private func clock(_ redis: RedisConnection) async -> ClockOffset? {
        let asked = Timestamp.now()
        guard let reply = try? await redis.send(RedisCommand("TIME")), let theirs = Timestamp(redisTime: reply) else {
            return nil
        }
        return ClockOffset(theirs: theirs, asked: asked, answered: Timestamp.now())
    }

    /// `name:value` lines among headings.
    private static func fields(_ info: String) -> [String: String] {
        let pairs = info.split(whereSeparator: \.isNewline).compactMap { line -> (String, String)? in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        return Dictionary(pairs) { first, _ in first }
    }
}
