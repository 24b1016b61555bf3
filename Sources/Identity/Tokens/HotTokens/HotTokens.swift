package import Networking
package import Redis
import Synchronization

/// Remembers what Redis says of access tokens, on one loop, and forgets it when Redis tells of a change (`HotTokenMemory`). Confined to its
/// loop.
///
/// Only introspection believes it. Our own endpoints, which change accounts, ask Redis each time.
package final class HotTokens: @unchecked Sendable {  // its variables are touched on its loop only
    /// How often it is proved that nothing is missing.
    private static let pause: Duration = .milliseconds(200)
    /// Has another value in each database: nobody tells of keys that change because another database takes the place of ours (SWAPDB).
    private static let databaseKey = "limit:hot:database"
    private static let databaseLife: Duration = .seconds(86_400)

    fileprivate let loop: EventLoop
    private let copy: HotTokenLoops
    /// What keys begin with that prove something to this loop.
    private let probePrefix: String
    private let metrics: IdentityMetrics
    private var memory: HotTokenMemory
    private var database: RedisReply?
    private var isClosed = false

    /// - Parameter byteLimit: of this loop.
    package init(_ copy: HotTokenLoops, loop: EventLoop, metrics: IdentityMetrics, byteLimit: Int) {
        self.copy = copy
        self.loop = loop
        self.metrics = metrics
        probePrefix = "\(copy.probePrefix)\(loop.index):"
        memory = HotTokenMemory(byteLimit: byteLimit)
        copy.enter(self)
    }

    /// Proves until `close()` that nothing is missing. The caller starts it once, as a task of its own.
    /// - Parameter redis: that of the loop.
    package func run(over redis: RedisConnection) async {
        while !isClosed {
            if let number = memory.beginProbe(at: .now()) {
                let commands = [RedisCommand("SET", "\(probePrefix)\(number)", "", "PX", "1"), Self.asksForDatabase]
                if let found = try? await redis.send(commands).last { await take(database: found, redis) }
            }
            await loop.sleep(for: Self.pause)
        }
    }

    private static var asksForDatabase: RedisCommand {
        var command = RedisCommand("GETEX", databaseKey, "PX")
        command.append(databaseLife.wholeMilliseconds)
        return command
    }

    /// Forgets what is of another database, and gives a value to one that has none.
    private func take(database found: RedisReply, _ redis: RedisConnection) async {
        guard found != database || found == .null else { return }
        apply(.emptied)
        database = found
        guard found == .null else { return }
        var command = RedisCommand("SET", Self.databaseKey, "\(probePrefix)\(Instant.now().nanoseconds)", "NX", "PX")
        command.append(Self.databaseLife.wholeMilliseconds)
        _ = try? await redis.send(command)
    }

    package func close() {
        isClosed = true
        apply(.lost)
        copy.leave(self)
    }

    /// What Redis tells.
    package func take(_ news: RedisKeyNews) {
        switch news {
        case .follows: apply(.follows)
        case .lost: apply(.lost)
        case .flushed: apply(.emptied)
        case .changed(let keys):
            apply(.changed(keys.compactMap { AccessTokenHash(key: $0) }))
            // Those of one message count as told before the probe in it.
            for key in keys where key.utf8.starts(with: probePrefix.utf8) {
                if let number = UInt64(Substring(key.utf8.dropFirst(probePrefix.utf8.count))) { apply(.proved(number)) }
            }
        }
    }

    /// The connection has ended that the loop asks by: the next may lead to another server.
    package func connectionEnded() {
        apply(.emptied)
    }

    private func apply(_ event: HotTokenMemory.Event) {
        memory.take(event)
        metrics.hotTokenBytes = memory.byteCount
    }

    /// Tokens end by this copy: nobody who is told so shall still find them good here.
    func forget(_ tokens: [AccessTokenHash]) {
        apply(.changed(tokens))
        copy.tellOthers(than: self, tokens)
    }

    fileprivate func hear(of tokens: [AccessTokenHash]) {
        apply(.changed(tokens))
    }

    /// The record of a token; nil for one that is unknown, expired or revoked.
    /// - Throws: `RedisError`.
    func record(_ token: AccessTokenHash, _ redis: RedisConnection) async throws(RedisError) -> [UInt8]? {
        // Not the loop's time, which is that of the beginning of its turn.
        guard let record = memory.record(of: token, at: .now()) else { return try await read([token], redis)[0] }
        metrics.countHotToken()
        return record
    }

    /// The same as it is written for a reader.
    /// - Parameter write: writes it; nil for who may not see it.
    /// - Throws: `RedisError`.
    func answer(
        _ token: AccessTokenHash, for reader: any AnswerReader, _ redis: RedisConnection, writing write: ([UInt8]) -> [UInt8]?
    ) async throws(RedisError) -> [UInt8]? {
        guard let answer = memory.answer(of: token, for: reader, at: .now(), writing: write) else {
            return try await read([token], redis)[0].flatMap(write)
        }
        metrics.countHotToken()
        metrics.hotTokenBytes = memory.byteCount
        return answer
    }

    /// The same for several, in their order.
    /// - Throws: `RedisError`.
    func records(_ tokens: [AccessTokenHash], _ redis: RedisConnection) async throws(RedisError) -> [[UInt8]?] {
        let now = Instant.now()
        let records = tokens.map { memory.record(of: $0, at: now) }
        // All are asked about if one is: what is remembered would be old by the time of the answer.
        guard !records.contains(nil) else { return try await read(tokens, redis) }
        for _ in records { metrics.countHotToken() }
        return records
    }

    /// Asks Redis, and remembers what there is for as long as Redis keeps it.
    private func read(_ tokens: [AccessTokenHash], _ redis: RedisConnection) async throws(RedisError) -> [[UInt8]?] {
        let keys = tokens.map(\.key)
        guard memory.isFollowed else { return try await redis.get(keys) }
        let asked = Instant.now()
        let readings = tokens.map { memory.beginReading($0) }
        var found: [(record: [UInt8], end: Instant)?] = tokens.map { _ in nil }
        defer {
            for (reading, found) in zip(readings, found) {
                if let reading { memory.endReading(reading, found: found) }
            }
            metrics.hotTokenBytes = memory.byteCount
        }
        let replies: [RedisReply]
        do throws(RedisError) {
            replies = try await redis.send(keys.flatMap { [RedisCommand("GET", $0), RedisCommand("PTTL", $0)] })
        } catch .refused {
            // Our user may not ask how long a token lasts: then it cannot be remembered.
            return try await redis.get(keys)
        }
        var records: [[UInt8]?] = []
        for index in keys.indices {
            switch replies[2 * index] {
            case .bytes(let record):
                records.append(record)
                let life = replies[2 * index + 1].integerValue ?? 0
                if life > 0 { found[index] = (record, asked + .milliseconds(life)) }
            case .null: records.append(nil)
            case .status, .integer, .array, .error: throw .unexpectedReply
            }
        }
        return records
    }
}

/// What the loops of a copy tell each other. Behind a mutex, which is taken when something ends.
package final class HotTokenLoops: Sendable {
    /// What the keys of tokens begin with.
    package static let tokenPrefix = "at:"
    /// What the keys begin with that prove something to this copy.
    package let probePrefix: String
    private let loops = Mutex<[HotTokens]>([])

    /// - Parameter number: another one for each copy.
    package init(number: UInt64) {
        probePrefix = "limit:hot:\(String(number, radix: 36)):"
    }

    fileprivate func enter(_ one: HotTokens) {
        loops.withLock { $0.append(one) }
    }

    fileprivate func leave(_ one: HotTokens) {
        loops.withLock { loops in loops.removeAll { $0 === one } }
    }

    fileprivate func tellOthers(than one: HotTokens, _ tokens: [AccessTokenHash]) {
        for other in loops.withLock({ $0 }) where other !== one {
            other.loop.call { other.hear(of: tokens) }
        }
    }
}
