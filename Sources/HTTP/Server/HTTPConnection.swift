import Networking

/// One client's connection: reads a request, has it answered, and again, in order, until one side ends it (RFC 9112 §9).
///
/// A task runs it on its loop while its client is busy (`Rest`). What has been pipelined is answered in one write.
actor HTTPConnection {
    /// How many requests that are there already are answered before it is others' turn.
    static let requestsInARow = 16

    /// From so many bytes on an answer leaves at once, and its body without being copied.
    static let largeAnswer = 16 * 1024

    enum Phase {
        /// Without a task.
        case resting(Rest)
        /// Between requests: may be closed without harm.
        case idle
        case receiving
        case answering
        /// An answer without an end is under way.
        case telling
        /// The last answer has been sent, and the client has not ended its side.
        case ending
    }

    enum Received<Value> {
        case success(Value)
        case failure(Refusal)
    }

    /// How the reading of a request ended without one.
    enum Refusal {
        /// The connection is over.
        case ended
        /// There is nothing to do for now.
        case resting
        case failed(RequestFailure)
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    nonisolated let stream: Stream
    let server: HTTPServer
    nonisolated var limits: Limits { server.limits }
    nonisolated var timeouts: Timeouts { server.timeouts }
    var origin: ConnectionOrigin
    /// Who pays for it.
    var client: ClientLedger.Client
    /// What it has in the ledger.
    var held = 0
    /// Since when it has waited for its client with something in the ledger; nil when it does not.
    var waitsSince: Instant?
    /// The size of a body that is its own and waits to be sent.
    var unsentBody = 0
    var parser: RequestParser
    /// Of the last request; nil once its client has to be waited for, because the ledger does not count it.
    var lastHead: RecentHead?
    var phase = Phase.idle
    /// When the first byte of the present request was there.
    var began: Instant
    /// Kept while a task runs it, and only if a request can be too slow.
    private var waits: WaitTimes?

    /// - Parameters:
    ///   - origin: decided by the proxies that are trusted now.
    ///   - client: whose connection it is in the ledger, where it has been admitted.
    init(_ stream: Stream, server: HTTPServer, origin: ConnectionOrigin, client: ClientLedger.Client) {
        self.stream = stream
        self.server = server
        self.origin = origin
        self.client = client
        loop = server.loop
        parser = RequestParser(limits: server.limits)
        began = server.loop.now
    }

    /// Serves the connection until it is over, and closes it, or until there is nothing to do for now.
    func run() async {
        server.taskBegins()
        defer { server.taskEnds() }
        guard server.slowRequest != nil else { return await serve() }
        let waits = WaitTimes()
        self.waits = waits
        await WaitTimes.$current.withValue(waits) { await serve() }
        self.waits = nil
    }

    private func serve() async {
        do throws(StreamError) {
            guard try await receiveProxyHeader() else { return end() }
            var inARow = 0
            serving: while true {
                switch try await serveOne() {
                case .another: break
                case .rest: return rest()
                case .end: break serving
                case .goesOn(let body):
                    try await send(body)
                    break serving
                }
                inARow = stream.input.isEmpty ? 0 : inARow + 1
                // Many clients that pipeline would keep the loop from its sockets and timers for seconds.
                guard inARow == Self.requestsInARow else { continue }
                inARow = 0
                await loop.sleep(for: .zero)
            }
            // A client that has ended its side still reads.
            try await sendRest()
        } catch {
            // The peer is gone or too slow; there is nobody to tell. What the system still has for it is thrown away with the rest.
            if stream.unsentCount > 0 { stream.abort() }
        }
        end()
    }

    /// What follows a request.
    private enum Next {
        case another, rest, end
        /// The answer does.
        case goesOn(any EndlessBody)
    }

    /// Another list of trusted proxies holds.
    func decideTrust() {
        origin.decide(server.proxies)
    }

    /// The server is going: a connection ends after the answer that says so, or once it has rested for as long as a busy client would not.
    /// To close it at once would lose a request that is on its way, because its client has been told of nothing.
    func drain() {
        switch phase {
        case .resting(.idle): restLast()
        // One between requests that has a task rests in a moment.
        case .resting(.unread), .idle, .receiving, .answering, .ending: break
        // It would never end, and who listens is told by the end to listen to another copy.
        case .telling:
            stream.flush()
            stream.close()
        }
    }

    /// Reads one request and answers it.
    private func serveOne() async throws(StreamError) -> Next {
        let (head, match): (RequestHead, RequestMatch)
        switch try await receiveHead() {
        case .success(let received): (head, match) = (received.head, received.match)
        case .failure(.ended): return .end
        case .failure(.resting): return .rest
        case .failure(.failed(let failure)):
            phase = .answering
            try await refuse(server.handler.response(to: failure, in: nil, head: nil), answering: nil, id: server.nextRequestID())
            return .end
        }
        phase = .answering
        let start = loop.now
        let id = RequestID.wellFormed(in: head) ?? server.nextRequestID()
        let span = server.span(of: head)
        let request = LoggedRequest(head: head, id: id, origin: origin(of: head, id: id, span), span: span)
        switch try await receiveBody(of: head, for: match) {
        case .success(let body):
            let bodyRead = loop.now
            waits?.reset()
            let response = await respond(to: request, body, match)
            let decided = server.record(match, response, to: request, since: start)
            defer {
                warnIfSlow(
                    request, response.status,
                    RequestTimeline(began: began, headRead: start, bodyRead: bodyRead, decided: decided, answered: loop.now))
            }
            return try await answer(response, to: head, id: id)
        case .failure(.ended), .failure(.resting):
            return .end
        case .failure(.failed(let failure)):
            let response = server.handler.response(to: failure, in: match.group, head: head)
            server.record(match, response, to: request, since: start)
            try await refuse(response, answering: head.method, id: id)
            return .end
        }
    }

    private func warnIfSlow(_ request: LoggedRequest, _ status: Status, _ timeline: RequestTimeline) {
        guard let slow = server.slowRequest, timeline.duration >= slow, let waits else { return }
        server.warnOfSlow(request, status: status, timeline, waits)
    }

    private func respond(to request: LoggedRequest, _ body: [UInt8], _ match: RequestMatch) async -> Response {
        switch match {
        case .found(let found):
            await found.handler(
                Request(
                    head: request.head, body: body, pathParameters: found.pathParameters, origin: request.origin, id: request.id))
        case .refused(let failure, let group):
            server.handler.response(to: failure, in: group, head: request.head)
        }
    }

    /// Queues the answer.
    private func answer(_ response: Response, to head: RequestHead, id: String) async throws(StreamError) -> Next {
        // Asked once: who has not been told that this is the last answer may send another request.
        let persistence = server.phase.drains ? .close : head.persistence
        release()
        if let body = response.endlessBody {
            write(response, answering: head.method, id: id, .close)
            return .goesOn(body)
        }
        write(response, answering: head.method, id: id, persistence)
        if case .close = persistence {
            try await finish()
            return .end
        }
        if stream.unsentCount >= Self.largeAnswer { stream.flush() }
        return .another
    }

    private func write(_ response: Response, answering method: Method?, id: String, _ persistence: Persistence) {
        let date = server.date()
        let isLarge = response.body.count >= Self.largeAnswer
        stream.write { output in
            ResponseSerializer.append(
                response, to: &output, answering: method, requestID: id, date: date, persistence: persistence,
                leavesBody: isLarge)
        }
        guard isLarge else { return }
        let body = ResponseSerializer.body(of: response, answering: method)
        unsentBody = response.isBodyShared ? 0 : body.count
        stream.write(sharing: body)
    }

    /// Answers a request that cannot be read on; what follows it is never parsed.
    private func refuse(_ response: Response, answering method: Method?, id: String) async throws(StreamError) {
        release()
        write(response, answering: method, id: id, .close)
        try await finish()
    }

    /// Lets a body be written until one side ends the connection. What the client still sends is dropped.
    private func send(_ body: any EndlessBody) async throws(StreamError) {
        phase = .telling
        stream.setDeadline(nil)
        hold(stream.bufferedBytes, for: .task)
        body.begin(BodyWriter(stream) { bytes in self.assumeIsolated { $0.tell(bytes) } })
        defer { body.end() }
        guard !server.isGoing else { return }
        while try await stream.fill() { stream.consume(stream.input.count) }
    }

    private func finish() async throws(StreamError) {
        try await sendRest()
        phase = .ending
        stream.setDeadline(loop.now.advanced(byNanoseconds: timeouts.linger))
        await stream.finish()
    }

    /// Sends everything that is queued, now.
    private func sendRest() async throws(StreamError) {
        stream.flush()
        guard stream.unsentCount > 0 else { return }
        hold(stream.bufferedBytes + unsentBody, for: .task)
        stream.setDeadline(loop.now.advanced(byNanoseconds: timeouts.write))
        try await stream.drained(below: 0)
        release()
    }
}
