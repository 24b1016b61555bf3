package import Logging
package import Networking

/// What the reader of a stream has to tell.
package enum RedisStreamNews: Sendable {
    /// It goes on behind this entry. Whether it can is not known before `entries` or `alive`.
    case follows(RedisStreamID)
    /// There were entries that it has not seen, and never will; it goes on behind this one.
    case lost(RedisStreamID)
    /// New entries, in their order.
    case entries([RedisStreamEntry])
    /// There is nothing new, and there would be if something had been written.
    case alive
}

/// Follows a stream on a connection of its own, which waits in `XREAD`: it is told of an entry as soon as that is written. It reconnects by itself,
/// and goes on where it was.
///
/// Whether the server is still the primary is asked with every `XREAD`, since who was the primary would stay silent for ever; and whether the
/// last entry that was told of is still there, since those behind it may be gone without it. After new ones so is the one before them: a stream
/// that was emptied and written to again has new ones.
package actor RedisStreamReader {
    /// How long the server waits for something to tell.
    private static let patience: Duration = .milliseconds(500)
    private static let pageSize: Int64 = 1000
    /// How often the end of the stream is put off.
    private static let renewal: Duration = .seconds(600)

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    private let configuration: RedisConfiguration
    private let connector: RedisConnector
    private let key: String
    private let life: Duration
    private let logger: Logger
    private let tell: @Sendable (RedisStreamNews) -> Void
    /// The last entry that was told of.
    private var last: RedisStreamID?
    /// The one before those that were told of last, until it is known that it was still there after them.
    private var former: RedisStreamID?
    private var stream: Stream?
    private var isClosed = false
    private var outage = OutageNotice()

    /// - Parameters:
    ///   - life: how long the stream lasts that nobody writes to or follows.
    ///   - tell: called on the loop.
    package init(
        _ configuration: RedisConfiguration, key: String, life: Duration, loop: EventLoop, resolving: BlockingPool,
        logger: Logger, _ tell: @escaping @Sendable (RedisStreamNews) -> Void
    ) {
        self.configuration = configuration
        self.key = key
        self.life = life
        self.loop = loop
        self.logger = logger
        self.tell = tell
        connector = RedisConnector(
            configuration: configuration, loop: loop, resolving: resolving, recent: nil, logger: logger)
    }

    /// Follows the stream until `close()`. The caller starts it once, as a task of its own.
    package func run() async {
        var backOff = BackOff(configuration.backOff)
        while !isClosed {
            let start = loop.now
            do throws(StreamError) {
                try await follow()
            } catch {
                if !isClosed, outage.failed(at: loop.now) {
                    logger.warning(
                        "Redis's stream is not followed",
                        ["server": .string("\(configuration)"), "error": .string("\(error)")])
                }
            }
            stream?.close()
            stream = nil
            if loop.now.since(start) > configuration.backOff.upperBound { backOff.succeeded() }
            await loop.sleep(for: backOff.failed(chance: .random(in: 0...1)))
        }
    }

    package func close() {
        isClosed = true
        stream?.close()
    }

    private func follow() async throws(StreamError) {
        let stream = try await connector.connect().stream
        self.stream = stream
        guard !isClosed else { throw .closed }
        stream.isPrompt = false
        let reader = ReplyReader()
        var last = try await start(stream, reader)
        var renewedAt = loop.now
        // The first question is answered at once: so it is soon known that the stream may be read.
        var waits = false
        while true {
            var commands = [RedisCommand.roleQuestion]
            if loop.now.since(renewedAt) > Self.renewal {
                renewedAt = loop.now
                commands.append(renewalCommand)
            }
            var reading = RedisCommand("XREAD", "COUNT")
            reading.append(Self.pageSize)
            if waits {
                reading.append("BLOCK")
                reading.append(Int64(Self.patience.wholeNanoseconds / 1_000_000))
            }
            for word in ["STREAMS", key, last.description] { reading.append(word) }
            let answers = try await ask(commands + [question(whether: last), reading], stream, reader)
            let entries = try Self.entries(answers[answers.count - 1])
            waits = true
            outage.succeeded()
            guard answers[answers.count - 2].elements?.isEmpty == false else {
                last = try await start(stream, reader)
                continue
            }
            guard let end = entries.last else {
                tell(.alive)
                continue
            }
            (former, self.last) = (last, end.id)
            tell(.entries(entries))
            let before = try await ask([question(whether: last)], stream, reader)[0]
            if before.elements?.isEmpty == false {
                (former, last) = (nil, end.id)
            } else {
                last = try await start(stream, reader, hasLost: true)
            }
        }
    }

    /// Whether an entry is there.
    private func question(whether entry: RedisStreamID) -> RedisCommand {
        RedisCommand("XRANGE", key, entry.description, entry.description)
    }

    private var renewalCommand: RedisCommand {
        var command = RedisCommand("PEXPIRE", key)
        command.append(Int64(life.wholeNanoseconds / 1_000_000))
        return command
    }

    /// Finds out where to go on. A stream always has an entry, so that it can be told whether it has been there all the while.
    /// - Parameter hasLost: whether it is known that it has not.
    private func start(
        _ stream: Stream, _ reader: ReplyReader, hasLost: Bool = false
    ) async throws(StreamError) -> RedisStreamID {
        if let last, !hasLost {
            let answers = try await ask([former, last].compactMap(\.self).map(question(whether:)), stream, reader)
            if answers.allSatisfy({ $0.elements?.isEmpty == false }) {
                former = nil
                tell(.follows(last))
                return last
            }
        }
        let end = try await ask([RedisCommand("XREVRANGE", key, "+", "-", "COUNT", "1")], stream, reader)[0]
        var newest = end.elements?.first.flatMap { RedisStreamEntry($0) }?.id
        if newest == nil {
            let answers = try await ask([RedisCommand("XADD", key, "*", "begin", ""), renewalCommand], stream, reader)
            newest = answers[0].text.flatMap { RedisStreamID($0) }
        }
        guard let newest else { throw RedisConnector.notRedis }
        let isFirst = last == nil
        (former, last) = (nil, newest)
        tell(isFirst ? .follows(newest) : .lost(newest))
        return newest
    }

    private func ask(
        _ commands: [RedisCommand], _ stream: Stream, _ reader: ReplyReader
    ) async throws(StreamError) -> [RedisReply] {
        stream.setDeadline(loop.now + Self.patience + configuration.commandDeadline)
        stream.write { output in
            for command in commands { precondition(command.encode(into: &output), "no memory for a command") }
        }
        var answers: [RedisReply] = []
        for _ in commands {
            let answer = try await connector.reply(from: stream, reader)
            if case .error(let text) = answer {
                throw .system(SystemError("Redis refuses: \(RedisReply.kind(ofError: text))", code: 0))
            }
            answers.append(answer)
        }
        return answers
    }

    /// What `XREAD` has answered for the one stream; none when there was nothing to tell.
    private static func entries(_ reply: RedisReply) throws(StreamError) -> [RedisStreamEntry] {
        if case .null = reply { return [] }
        guard let streams = reply.elements else { throw RedisConnector.notRedis }
        return streams.first?.elements?.last?.elements?.compactMap { RedisStreamEntry($0) } ?? []
    }
}
