package import Logging
package import Networking

/// What is heard of the keys that are tracked.
package enum RedisKeyNews: Equatable, Sendable {
    /// From now on everything that changes is told.
    case follows
    /// These have been written, have been deleted or have expired.
    case changed([String])
    /// All keys may be gone.
    case flushed
    /// Nothing is told any more.
    case lost
}

/// Hears of every key with certain beginnings that changes (`CLIENT TRACKING`, broadcasting), on a connection of its own. It reconnects by
/// itself.
///
/// The connection redirects the messages to itself and subscribes to their channel: RESP2 has no other way, and hiredis of Debian no RESP3.
/// Redis sends those of one turn in the order of the prefixes, and keeps the order of turns.
package actor RedisKeyTracking {
    private static let channel = "__redis__:invalidate"

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    private let configuration: RedisConfiguration
    private let connector: RedisConnector
    private let prefixes: [String]
    private let patience: Duration
    private let logger: Logger
    private let tell: @Sendable (RedisKeyNews) -> Void
    private var stream: Stream?
    private var isClosed = false
    private var outage = OutageNotice()

    /// - Parameters:
    ///   - prefixes: what the keys begin with; none begins with another.
    ///   - patience: how long nothing may come until the connection is taken for dead. The caller has keys changed more often.
    ///   - tell: called on the loop.
    package init(
        _ configuration: RedisConfiguration, prefixes: [String], patience: Duration, loop: EventLoop, resolving: BlockingPool,
        logger: Logger, _ tell: @escaping @Sendable (RedisKeyNews) -> Void
    ) {
        self.configuration = configuration
        self.prefixes = prefixes
        self.patience = patience
        self.loop = loop
        self.logger = logger
        self.tell = tell
        connector = RedisConnector(
            configuration: configuration, loop: loop, resolving: resolving, recent: nil, logger: logger)
    }

    /// Follows the keys until `close()`. The caller starts it once, as a task of its own.
    package func run() async {
        var backOff = BackOff(configuration.backOff)
        while !isClosed {
            let start = loop.now
            do throws(StreamError) {
                try await follow()
            } catch {
                if !isClosed, outage.failed(at: loop.now) {
                    logger.warning(
                        "Redis does not tell which keys change: nothing is remembered meanwhile", ["error": .string("\(error)")])
                }
            }
            stream?.close()
            stream = nil
            tell(.lost)
            if loop.now.since(start) > configuration.backOff.upperBound { backOff.succeeded() }
            await loop.sleep(for: backOff.failed(chance: .random(in: 0...1)))
        }
    }

    package func close() {
        isClosed = true
        stream?.close()
    }

    /// Whether the server lets us follow keys: nil, or why not.
    package func refusal() async -> StreamError? {
        defer { stream?.close() }
        do throws(StreamError) {
            _ = try await begin()
            return nil
        } catch {
            return error
        }
    }

    private func follow() async throws(StreamError) {
        let (stream, reader) = try await begin()
        outage.succeeded()
        tell(.follows)
        while true {
            stream.setDeadline(loop.now + patience)
            let parts = try await connector.reply(from: stream, reader).elements ?? []
            guard parts.count == 3, parts[0].text == "message", parts[1].text == Self.channel else {
                throw RedisConnector.notRedis
            }
            switch parts[2] {
            case .array(let keys): tell(.changed(keys.compactMap(\.text)))
            case .null: tell(.flushed)
            case .status, .integer, .bytes, .error: throw RedisConnector.notRedis
            }
        }
    }

    /// Connects, and has the server tell.
    private func begin() async throws(StreamError) -> (Stream, ReplyReader) {
        let stream = try await connector.connect().stream
        self.stream = stream
        guard !isClosed else { throw .closed }
        stream.isPrompt = false
        stream.setDeadline(loop.now + configuration.commandDeadline)
        let reader = ReplyReader()
        guard let id = try await ask(RedisCommand("CLIENT", "ID"), stream, reader).integerValue else {
            throw RedisConnector.notRedis
        }
        var tracking = RedisCommand("CLIENT", "TRACKING", "ON", "REDIRECT", String(id), "BCAST")
        for prefix in prefixes {
            tracking.append("PREFIX")
            tracking.append(prefix)
        }
        _ = try await ask(tracking, stream, reader)
        _ = try await ask(RedisCommand("SUBSCRIBE", Self.channel), stream, reader)
        return (stream, reader)
    }

    private func ask(
        _ command: RedisCommand, _ stream: Stream, _ reader: ReplyReader
    ) async throws(StreamError) -> RedisReply {
        stream.write { output in precondition(command.encode(into: &output), "no memory for a command") }
        let answer = try await connector.reply(from: stream, reader)
        if case .error(let text) = answer {
            throw .system(SystemError("Redis refuses to track keys: \(RedisReply.kind(ofError: text))", code: 0))
        }
        return answer
    }
}
