package import Logging
package import Networking

/// A loop's connection to Redis: every command of the loop goes through it, pipelined, and those of one turn in one write.
///
/// It reconnects by itself. When the connection dies, the commands in flight fail at once; while the first new attempt runs,
/// commands wait for it; while it rests between attempts, they fail at once (`RedisConnectionState`).
///
/// It asks now and then whether the server still takes writes: after a failover the address leads elsewhere, and a connection to who was
/// the primary would go on reading what has been revoked since.
package actor RedisConnection {
    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    private let configuration: RedisConfiguration
    private let connector: RedisConnector
    private let logger: Logger
    private var state: RedisConnectionState<ReplyReceiver, CheckedContinuation<RedisError?, Never>>
    /// The connection that serves, if one does.
    private var stream: Stream?
    private var getTemplate: GetTemplate?
    private var roleTimer: LoopTimer?
    /// The digests of the scripts that this server is known to hold, by name.
    private var digests: [String: String] = [:]
    /// What the next server must not lack.
    private let recent: RecentWrites?
    /// Why the last attempt to connect has failed; nil when none has.
    package private(set) var lastFailure: StreamError?
    private var refusals: RefusalLog
    private let whenEnded: (@Sendable () -> Void)?
    private var outage = OutageNotice()

    /// - Parameters:
    ///   - resolving: where the server's name is looked up.
    ///   - recent: what all connections of the process repeat on a new server.
    ///   - whenEnded: called on the loop when a connection has ended: the next may lead to another server.
    package init(
        _ configuration: RedisConfiguration, loop: EventLoop, resolving: BlockingPool, recent: RecentWrites? = nil,
        logger: Logger, whenEnded: (@Sendable () -> Void)? = nil
    ) {
        (self.recent, self.whenEnded) = (recent, whenEnded)
        self.configuration = configuration
        self.loop = loop
        self.logger = logger
        connector = RedisConnector(configuration: configuration, loop: loop, resolving: resolving, recent: recent, logger: logger)
        refusals = RefusalLog(server: "\(configuration)", logger: logger)
        state = RedisConnectionState(
            limit: configuration.inFlightLimit, commandDeadline: configuration.commandDeadline,
            leavingInterval: configuration.roleInterval)
    }

    /// Connects, and keeps connected, until `close()`. The caller starts it once, as a task of its own.
    package func run() async {
        var backOff = BackOff(configuration.backOff)
        while state.attemptBegins() {
            if await connectAndServe() {
                backOff.succeeded()
                continue
            }
            rest()
            await loop.sleep(for: backOff.failed(chance: .random(in: 0...1)))
        }
    }

    /// - Returns: whether the next attempt may come at once.
    private func connectAndServe() async -> Bool {
        do throws(StreamError) {
            let connection = try await connect()
            outage.succeeded()
            let start = loop.now
            // Left on purpose, and commands wait for the next one already.
            if await serve(connection.stream, owesWrites: connection.owesWrites) { return true }
            // A connection that has held is made anew at once; one that breaks over and over is not worth the hurry.
            return loop.now.since(start) > configuration.backOff.upperBound
        } catch {
            lastFailure = error
            if outage.failed(at: loop.now) {
                logger.warning(
                    "Redis cannot be reached", ["server": .string("\(configuration)"), "error": .string("\(error)")])
            }
            return false
        }
    }

    private func connect() async throws(StreamError) -> RedisConnector.Connection {
        // Looking a name up may take far longer than commands may wait.
        let patience = loop.schedule(after: configuration.connectTimeout) { [self] in assumeIsolated { $0.rest() } }
        defer { loop.cancel(patience) }
        return try await connector.connect()
    }

    private func rest() {
        for waiter in state.attemptFailed() { waiter.resume(returning: nil) }
    }

    /// Fails what is in flight and stays closed.
    package func close() {
        stream?.close()
        let (waiting, failing) = state.close()
        for waiter in waiting { waiter.resume(returning: nil) }
        for receiver in failing { receiver.deliver(.failure(.unavailable)) }
    }

    package var isReady: Bool { state.isReady }

    /// Whether the server answers and takes no writes, as of the last question.
    package var refusesWrites: Bool { state.refusesWrites }

    /// Commands that await their answer.
    var inFlightCount: Int { state.inFlightCount }

    /// Commands that wait for the connection.
    var waitingCount: Int { state.waitingCount }

    /// Sends one command and awaits its answer.
    /// - Throws: `RedisError`.
    package func send(_ command: RedisCommand) async throws(RedisError) -> RedisReply {
        let start = loop.now
        defer { WaitTimes.add(.redis, from: start, to: loop.now) }
        if state.commandsWait { try await waitForConnection() }
        let outcome: ReplyReceiver.Outcome = unsafe await withUnsafeContinuation { continuation in
            let refusal = unsafe submit(.single(continuation)) { stream in Self.write(command, to: stream) }
            if let refusal { unsafe continuation.resume(returning: .failure(refusal)) }
        }
        return try accept(outcome)
    }

    /// The value of a key; nil when there is none.
    /// - Throws: `RedisError`.
    package func get(_ key: String) async throws(RedisError) -> [UInt8]? {
        let start = loop.now
        defer { WaitTimes.add(.redis, from: start, to: loop.now) }
        if state.commandsWait { try await waitForConnection() }
        let outcome: ReplyReceiver.Outcome = unsafe await withUnsafeContinuation { continuation in
            let refusal = unsafe submit(.single(continuation)) { stream in
                stream.write { output in append(getting: key, to: &output) }
            }
            if let refusal { unsafe continuation.resume(returning: .failure(refusal)) }
        }
        switch try accept(outcome) {
        case .bytes(let value): return value
        case .null: return nil
        case .status, .integer, .array, .error: throw .unexpectedReply
        }
    }

    /// The values of keys in their order, nil where there is none, in one go. No `MGET`: each may live in a slot of its own.
    /// - Throws: the first `RedisError` among the answers.
    package func get(_ keys: [String]) async throws(RedisError) -> [[UInt8]?] {
        guard !keys.isEmpty else { return [] }
        let start = loop.now
        defer { WaitTimes.add(.redis, from: start, to: loop.now) }
        if state.commandsWait { try await waitForConnection() }
        let outcomes: [ReplyReceiver.Outcome] = unsafe await withUnsafeContinuation { continuation in
            let batch = unsafe ReplyReceiver.Batch(count: keys.count, continuation: continuation)
            let refusal = submit(.batch(batch), count: keys.count) { stream in
                stream.write { output in
                    for key in keys { append(getting: key, to: &output) }
                }
            }
            if let refusal { unsafe continuation.resume(returning: [.failure(refusal)]) }
        }
        var values: [[UInt8]?] = []
        for outcome in outcomes {
            switch try accept(outcome) {
            case .bytes(let value): values.append(value)
            case .null: values.append(nil)
            case .status, .integer, .array, .error: throw .unexpectedReply
            }
        }
        return values
    }

    /// Sends commands in one go and awaits all answers; Redis carries them out in order, whether one before them fails or not.
    /// - Throws: the first `RedisError` among their outcomes.
    package func send(_ commands: [RedisCommand]) async throws(RedisError) -> [RedisReply] {
        guard !commands.isEmpty else { return [] }
        let start = loop.now
        defer { WaitTimes.add(.redis, from: start, to: loop.now) }
        if state.commandsWait { try await waitForConnection() }
        let outcomes: [ReplyReceiver.Outcome] = unsafe await withUnsafeContinuation { continuation in
            let batch = unsafe ReplyReceiver.Batch(count: commands.count, continuation: continuation)
            let refusal = submit(.batch(batch), count: commands.count) { stream in
                for command in commands { Self.write(command, to: stream) }
            }
            if let refusal { unsafe continuation.resume(returning: [.failure(refusal)]) }
        }
        var replies: [RedisReply] = []
        for outcome in outcomes { replies.append(try accept(outcome)) }
        return replies
    }

    /// Waits for the next connection, which is on its way.
    private func waitForConnection() async throws(RedisError) {
        // Until there is one: by the time a task has its turn, the one it has waited for may have been left as well.
        while state.commandsWait {
            let refusal: RedisError? = await withCheckedContinuation { continuation in
                // Looked at anew: a task that prefers its loop can be set aside on its way here.
                switch state.wait(continuation) {
                case .waits: break
                case .goesOn: continuation.resume(returning: nil)
                case .refused(let error): continuation.resume(returning: error)
                }
            }
            if let refusal { throw refusal }
        }
    }

    /// Has commands written whose answers go to `receiver`, or says why not.
    private func submit(_ receiver: ReplyReceiver, count: Int = 1, _ write: (Stream) -> Void) -> RedisError? {
        guard let stream else { return .unavailable }
        switch state.send(receiver, count: count, at: loop.now) {
        case .refused(let error): return error
        case .send: break
        case .sendAlone(let deadline):
            stream.setDeadline(deadline)
            stream.asksAlone = true
        }
        write(stream)
        return nil
    }

    private static func write(_ command: RedisCommand, to stream: Stream) {
        stream.write { precondition(command.encode(into: &$0), "no memory for a command") }
    }

    private func append(getting key: String, to output: inout [UInt8]) {
        if getTemplate?.keyLength != key.utf8.count { getTemplate = GetTemplate(keyLength: key.utf8.count) }
        guard let getTemplate else { preconditionFailure("no memory for a command") }
        getTemplate.append(key, to: &output)
    }

    private func accept(_ outcome: ReplyReceiver.Outcome) throws(RedisError) -> RedisReply {
        let reply = try outcome.get()
        guard case .error(let text) = reply else {
            if refusals.isOpen { refusals.served(at: loop.now) }
            return reply
        }
        throw refusal(text)
    }

    /// What an error of Redis means to the caller.
    private func refusal(_ text: String) -> RedisError {
        let kind = RedisReply.kind(ofError: text)
        let refusal = RedisRefusal(kind: kind)
        switch refusal {
        case .command: return .refused(kind: kind)
        case .service, .replicas: refusals.refused(kind, at: loop.now)
        case .role: logger.error("Redis has changed its role", ["kind": .string(kind)])
        }
        if state.refused(refusal, at: loop.now) == .close { stream?.close() }
        return .unavailable
    }

    /// Hands answers over until the connection ends.
    /// - Returns: whether it was left for another.
    private func serve(_ stream: Stream, owesWrites: Bool) async -> Bool {
        guard let waiting = state.connected(owesWrites: owesWrites, at: loop.now) else {
            stream.close()
            return false
        }
        self.stream = stream
        digests = [:]
        stream.setDeadline(nil)
        stream.isPrompt = true
        logger.info("Redis connected", ["loop": .integer(Int64(loop.index))])
        for waiter in waiting { waiter.resume(returning: nil) }
        askForRoleLater(stream)
        let error = await deliverReplies(of: stream)
        if let timer = roleTimer.take() { loop.cancel(timer) }
        stream.close()
        self.stream = nil
        whenEnded?()
        switch state.ended(error) {
        case .closed: return false
        case .left(let failing, let failure):
            for receiver in failing { receiver.deliver(.failure(failure)) }
            return true
        case .broken(let failing, let failure):
            logger.warning("Redis connection ended", ["error": .string("\(error)")])
            for receiver in failing { receiver.deliver(.failure(failure)) }
            return false
        }
    }

    private func deliverReplies(of stream: Stream) async -> StreamError {
        let reader = ReplyReader()
        do throws(StreamError) {
            while try await stream.fill() {
                switch state.received(at: loop.now) {
                case .answers: break
                case .unasked: return RedisConnector.notRedis
                case .late: return .timedOut
                }
                do throws(RedisError) {
                    try reader.feed(stream.input)
                    stream.consume(stream.input.count)
                    while let reply = try reader.next() {
                        guard let receiver = state.answered() else { return RedisConnector.notRedis }
                        receiver.deliver(.success(reply))
                    }
                } catch {
                    return RedisConnector.notRedis
                }
                switch state.nextAnswer {
                case .until(let deadline): stream.setDeadline(deadline)
                case .none: stream.setDeadline(nil)
                case .close: stream.close()
                }
            }
            return .closed
        } catch {
            return error
        }
    }

    /// Runs `script` by its digest, teaching it to the server when that does not know it (yet, or any more).
    /// - Throws: `RedisError`.
    package func run(_ script: RedisScript, keys: [String], arguments: [[UInt8]]) async throws(RedisError) -> RedisReply {
        if let digest = digests[script.name] {
            do throws(RedisError) {
                return try await send(RedisCommand(evaluating: digest, keys, arguments))
            } catch .refused(kind: "NOSCRIPT") {
                digests[script.name] = nil
            }
        }
        let digest = try await load(script)
        return try await send(RedisCommand(evaluating: digest, keys, arguments))
    }

    private func load(_ script: RedisScript) async throws(RedisError) -> String {
        guard let digest = try await send(RedisCommand("SCRIPT", "LOAD", script.source)).text else { throw .unexpectedReply }
        digests[script.name] = digest
        return digest
    }

    /// Like `send`, for writes that may be repeated and are, at the next connection.
    /// - Throws: the first `RedisError` among their outcomes.
    package func sendLasting(_ writes: [LastingWrite]) async throws(RedisError) {
        let replies = try await send(writes.map(\.command))
        recent?.note(writes, answered: replies, at: loop.now)
    }

    /// Like `run`, for a script that may be repeated and is, at the next connection.
    /// - Parameter repeating: its arguments then, given its answer; nil if there is nothing to repeat. The same as now by default.
    /// - Throws: `RedisError`.
    package func runLasting(
        _ script: RedisScript, keys: [String], arguments: [[UInt8]], repeating: ((RedisReply) -> [[UInt8]]?)? = nil
    ) async throws(RedisError) -> RedisReply {
        let reply = try await run(script, keys: keys, arguments: arguments)
        let again = if let repeating { repeating(reply) } else { arguments }
        // The digest is that of the text, the same at every server.
        if let recent, let again, let digest = digests[script.name] {
            recent.note(RedisCommand(evaluating: digest, keys, again), script, at: loop.now)
        }
        return reply
    }

    /// Asks whether the server is still the primary once the configured interval has passed, and again and again, for as long as the
    /// connection serves: one that only reads would never learn otherwise.
    private func askForRoleLater(_ stream: Stream) {
        roleTimer = loop.schedule(after: configuration.roleInterval) { [weak self] in
            self?.assumeIsolated { redis in
                redis.roleTimer = nil
                redis.loop.start { await redis.askForRole(of: stream) }
            }
        }
    }

    /// Whether new commands go there.
    private func isServing(_ stream: Stream) -> Bool { state.isReady && self.stream === stream }

    /// What follows from the answer is done where any command's is looked at.
    private func askForRole(of stream: Stream) async {
        guard isServing(stream) else { return }
        do throws(RedisError) {
            _ = try await send(RedisCommand.writeQuestion)
            state.learned(refusesWrites: false)
        } catch .refused {
            // Our user may not, which is no matter of the server's.
            state.learned(refusesWrites: false)
        } catch .overloaded {
            // It has not been asked.
        } catch {
            // Only an answer tells: where there is none, the connection is not the server's to judge.
            if isServing(stream) { state.learned(refusesWrites: true) }
        }
        if state.owesWrites, isServing(stream), await repeatOwedWrites() { state.repeatedWrites() }
        if isServing(stream) { askForRoleLater(stream) }
    }

    /// Tells the server what it has not taken when the connection was made.
    private func repeatOwedWrites() async -> Bool {
        guard let recent else { return true }
        let commands = recent.commands(at: loop.now)
        guard (try? await send(commands)) != nil else { return false }
        connector.noteRepetition(of: commands.count, refused: nil)
        return true
    }
}
