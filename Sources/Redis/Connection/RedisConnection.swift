package import Logging
package import Networking

/// A loop's connection to Redis: every command of the loop goes through it, pipelined, and those of one turn in one write.
///
/// It reconnects by itself. When the connection dies, the commands in flight fail at once; while the first new attempt runs,
/// commands wait for it; while it rests between attempts, they fail at once.
///
/// It asks now and then whether the server still takes writes (`RedisConnection+Role`): after a failover the address leads elsewhere,
/// and a connection to who was the primary would go on reading what has been revoked since.
package actor RedisConnection {
    private enum State {
        case idle
        /// The first attempt after a connection: commands may wait for it.
        case connecting
        case ready(Stream, since: Instant)
        /// Its commands in flight are awaited, new ones wait for the next connection.
        case leaving(Stream)
        /// An attempt has failed.
        case resting
        case closed
    }

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    let configuration: RedisConfiguration
    private let resolving: BlockingPool
    let logger: Logger
    private var state = State.idle
    private var pending = PendingReplies()
    /// Commands that wait for the connection.
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var getTemplate: GetTemplate?
    /// In nanoseconds, worked out once.
    private let commandDeadline: UInt64
    var roleTimer: LoopTimer?
    /// The digests of the scripts that this server is known to hold, by name.
    var digests: [String: String] = [:]
    /// What the next server must not lack.
    let recent: RecentWrites?
    /// Whether the server answers and takes no writes, as of the last question (`RedisConnection+Role`).
    package internal(set) var refusesWrites = false
    /// Whether this server has not taken it yet.
    var owesWrites = false
    /// Why the last attempt to connect has failed; nil when none has.
    package private(set) var lastFailure: StreamError?
    /// When the server last said that it cannot serve; nil when it serves.
    var refusedAt: Instant?

    /// - Parameters:
    ///   - resolving: where the server's name is looked up.
    ///   - recent: what all connections of the process repeat on a new server.
    package init(
        _ configuration: RedisConfiguration, loop: EventLoop, resolving: BlockingPool, recent: RecentWrites? = nil, logger: Logger
    ) {
        self.recent = recent
        self.configuration = configuration
        commandDeadline = configuration.commandDeadline.wholeNanoseconds
        self.loop = loop
        self.resolving = resolving
        self.logger = logger
    }

    /// Connects, and keeps connected, until `close()`. The caller starts it once, as a task of its own.
    package func run() async {
        var backOff = BackOff(configuration.backOff)
        while !isClosed {
            if case .idle = state { state = .connecting }
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
            let stream = try await connect()
            let start = loop.now
            await serve(stream)
            // Left on purpose, and commands wait for the next one already.
            if case .connecting = state { return true }
            // A connection that has held is made anew at once; one that breaks over and over is not worth the hurry.
            return loop.now.since(start) > configuration.backOff.upperBound
        } catch {
            lastFailure = error
            logger.warning(
                "Redis cannot be reached", ["server": .string("\(configuration)"), "error": .string("\(error)")])
            return false
        }
    }

    /// Fails what is in flight and stays closed.
    package func close() {
        endConnection()
        state = .closed
        resumeWaiting()
        pending.failAll(.unavailable)
    }

    package var isReady: Bool {
        if case .ready = state { return true }
        return false
    }

    /// Commands that await their answer.
    var inFlightCount: Int { pending.count }

    /// Commands that wait for the connection.
    var waitingCount: Int { waiting.count }

    /// Sends one command and awaits its answer.
    /// - Throws: `RedisError`.
    package func send(_ command: RedisCommand) async throws(RedisError) -> RedisReply {
        let start = loop.now
        defer { WaitTimes.add(.redis, from: start, to: loop.now) }
        try await waitForConnection()
        let outcome: PendingReplies.Outcome = unsafe await withUnsafeContinuation { continuation in
            let refusal = submit(1) { stream in unsafe write(command, to: stream, .single(continuation)) }
            if let refusal { unsafe continuation.resume(returning: .failure(refusal)) }
        }
        return try accept(outcome)
    }

    /// The value of a key; nil when there is none.
    /// - Throws: `RedisError`.
    package func get(_ key: String) async throws(RedisError) -> [UInt8]? {
        let start = loop.now
        defer { WaitTimes.add(.redis, from: start, to: loop.now) }
        try await waitForConnection()
        let outcome: PendingReplies.Outcome = unsafe await withUnsafeContinuation { continuation in
            let refusal = submit(1) { stream in
                unsafe expectReply(of: stream, .single(continuation))
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

    /// Sends commands in one go and awaits all answers; Redis carries them out in order, whether one before them fails or not.
    /// - Throws: the first `RedisError` among their outcomes.
    package func send(_ commands: [RedisCommand]) async throws(RedisError) -> [RedisReply] {
        guard !commands.isEmpty else { return [] }
        let start = loop.now
        defer { WaitTimes.add(.redis, from: start, to: loop.now) }
        try await waitForConnection()
        let outcomes: [PendingReplies.Outcome] = unsafe await withUnsafeContinuation { continuation in
            let refusal = submit(commands.count) { stream in
                let batch = unsafe PendingReplies.Batch(count: commands.count, continuation: continuation)
                for command in commands { write(command, to: stream, .batch(batch)) }
            }
            if let refusal { unsafe continuation.resume(returning: [.failure(refusal)]) }
        }
        var replies: [RedisReply] = []
        for outcome in outcomes { replies.append(try accept(outcome)) }
        return replies
    }

    /// Waits for the next connection, if it is on its way.
    private func waitForConnection() async throws(RedisError) {
        // Until there is one: by the time a task has its turn, the one it has waited for may have been left as well.
        while commandsWait {
            guard waiting.count < configuration.inFlightLimit else { throw .overloaded }
            await withCheckedContinuation { continuation in
                // Looked at anew: a task that prefers its loop can be set aside on its way here.
                guard commandsWait else { return continuation.resume() }
                waiting.append(continuation)
            }
        }
    }

    private var commandsWait: Bool {
        switch state {
        case .connecting, .leaving: true
        case .idle, .ready, .resting, .closed: false
        }
    }

    private func resumeWaiting() {
        let resumed = waiting
        waiting = []
        for continuation in resumed { continuation.resume() }
    }

    /// Has `count` commands written, or says why not. Nothing suspends between the look at the state and the writing: a command
    /// entered for a connection that has gone would be given the answer to another one on the next.
    private func submit(_ count: Int, _ write: (Stream) -> Void) -> RedisError? {
        guard case .ready(let stream, _) = state else { return .unavailable }
        guard pending.count + count <= configuration.inFlightLimit else { return .overloaded }
        write(stream)
        return nil
    }

    private func write(_ command: RedisCommand, to stream: Stream, _ receiver: PendingReplies.Receiver) {
        expectReply(of: stream, receiver)
        stream.write { output in
            precondition(command.encode(into: &output), "no memory for a command")
        }
    }

    /// Enters a command that is about to be written among those in flight.
    private func expectReply(of stream: Stream, _ receiver: PendingReplies.Receiver) {
        let deadline = loop.now.advanced(byNanoseconds: commandDeadline)
        if pending.count == 0 {
            stream.setDeadline(deadline)
            stream.asksAlone = true
        }
        pending.append(receiver, deadline: deadline)
    }

    private func append(getting key: String, to output: inout [UInt8]) {
        if getTemplate?.keyLength != key.utf8.count { getTemplate = GetTemplate(keyLength: key.utf8.count) }
        guard let getTemplate else { preconditionFailure("no memory for a command") }
        getTemplate.append(key, to: &output)
    }

    private func accept(_ outcome: PendingReplies.Outcome) throws(RedisError) -> RedisReply {
        let reply = try outcome.get()
        guard case .error(let text) = reply else {
            if refusedAt != nil { noteService() }
            return reply
        }
        throw refusal(text)
    }

    /// What an error of Redis means to the caller.
    private func refusal(_ text: String) -> RedisError {
        let kind = Self.kind(of: text)
        switch kind {
        case "NOREPLICAS":
            noteRefusal(kind)
            leave()
            return .unavailable
        case "LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY", "OOM", "MISCONF":
            noteRefusal(kind)
            return .unavailable
        case "READONLY", "NOAUTH", "MOVED", "ASK", "UNBLOCKED":
            // A different server now, or this one forgot us: connect anew.
            logger.error("Redis has changed its role", ["kind": .string(kind)])
            endConnection()
            return .unavailable
        default:
            return .refused(kind: kind)
        }
    }

    /// The first word of what Redis says is wrong.
    static func kind(of error: String) -> String {
        String(error.prefix { $0 != " " })
    }

    private var isClosed: Bool {
        if case .closed = state { return true }
        return false
    }

    /// Whether new commands go there.
    func isServing(_ stream: Stream) -> Bool {
        if case .ready(let current, _) = state { return current === stream }
        return false
    }

    /// Gives the connection up at once, with all that is in flight: what a server reads that is not ours any more is not to be believed.
    private func endConnection() {
        switch state {
        case .ready(let stream, _), .leaving(let stream): stream.close()
        case .idle, .connecting, .resting, .closed: break
        }
    }

    /// Makes the connection anew without failing what is in flight: a primary without replicas may have been replaced, and then the
    /// address leads to another server by now. If it does not, this one is made do with until it is time to look again.
    private func leave() {
        guard case .ready(let stream, let since) = state, loop.now.since(since) >= configuration.roleInterval else { return }
        state = .leaving(stream)
        endIfLeft(stream)
    }

    /// Ends a connection that is left and owes nothing any more.
    private func endIfLeft(_ stream: Stream) {
        if case .leaving = state, pending.count == 0 { stream.close() }
    }

    private func rest() {
        guard !isClosed else { return }
        state = .resting
        resumeWaiting()
    }

    private func connect() async throws(StreamError) -> Stream {
        // Looking a name up may take far longer than commands may wait.
        let patience = loop.schedule(after: configuration.connectTimeout) { [self] in assumeIsolated { $0.rest() } }
        defer { loop.cancel(patience) }
        var failure = StreamError.system(SystemError("the host name has no address", code: 0))
        for address in await addresses() {
            do throws(StreamError) {
                let deadline = loop.now + configuration.connectTimeout
                let stream = try await Stream.connect(to: address, loop: loop, deadline: deadline)
                do throws(StreamError) {
                    try await introduce(to: stream)
                    owesWrites = try await !repeatWrites(to: stream)
                    return stream
                } catch {
                    stream.close()
                    throw error
                }
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private func addresses() async -> [SocketAddress] {
        switch configuration.endpoint {
        case .unix(let path): return [.unix(path: path)]
        case .host(let host, let port):
            return (try? await resolving.run { Resolver.addresses(of: host, port: port) }) ?? []
        }
    }

    /// Hands answers over until the connection ends.
    private func serve(_ stream: Stream) async {
        guard !isClosed else { return stream.close() }
        state = .ready(stream, since: loop.now)
        refusesWrites = false
        digests = [:]
        stream.setDeadline(nil)
        stream.isPrompt = true
        logger.info("Redis connected", ["loop": .integer(Int64(loop.index))])
        resumeWaiting()
        askForRoleLater(stream)
        let error = await deliverReplies(of: stream)
        cancelRoleQuestion()
        stream.close()
        // Closed on purpose: nothing is left in flight, and nobody needs to know.
        guard !isClosed else { return }
        if case .leaving = state {
            state = .connecting
        } else {
            state = .idle
            logger.warning("Redis connection ended", ["error": .string("\(error)")])
        }
        pending.failAll(error == .timedOut ? .deadlineExceeded : .unavailable)
    }

    private func deliverReplies(of stream: Stream) async -> StreamError {
        let reader = ReplyReader()
        do throws(StreamError) {
            while try await stream.fill() {
                // An answer to nothing: this is not the protocol we speak.
                guard let deadline = pending.nextDeadline else { return Self.notRedis }
                // This process has stood still since it came: who is told now could have been told otherwise meanwhile.
                guard loop.now <= deadline else { return .timedOut }
                do throws(RedisError) {
                    try reader.feed(stream.input)
                    stream.consume(stream.input.count)
                    while let reply = try reader.next() {
                        guard pending.deliver(.success(reply)) else { return Self.notRedis }
                    }
                } catch {
                    return Self.notRedis
                }
                stream.setDeadline(pending.nextDeadline)
                endIfLeft(stream)
            }
            return .closed
        } catch {
            return error
        }
    }
}
