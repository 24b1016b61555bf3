import Logging
import Networking

/// One client's connection: reads a request, has it answered, and again, in order, until one side ends it (RFC 9112 §9).
///
/// One long-lived task runs it on its loop. What has been pipelined is answered in one write.
actor HTTPConnection {
    /// How many requests that are there already are answered before it is others' turn.
    static let requestsInARow = 16

    enum Phase {
        /// Between requests: may be closed without harm.
        case idle
        case receiving
        case answering
    }

    enum Received<Value> {
        case success(Value)
        case failure(Refusal)
    }

    /// How the reading of a request ended without one.
    enum Refusal {
        /// The connection is over.
        case ended
        case failed(RequestFailure)
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    nonisolated let stream: Stream
    let server: HTTPServer
    private let router: Router
    let limits: Limits
    let timeouts: Timeouts
    var origin: ConnectionOrigin
    var parser: RequestParser
    var phase = Phase.idle
    /// When the first byte of the present request was there.
    var began: Instant
    /// Kept only if a request can be too slow.
    private let waits: WaitTimes?

    init(_ stream: Stream, server: HTTPServer) {
        self.stream = stream
        self.server = server
        loop = server.loop
        router = server.router
        limits = server.limits
        timeouts = server.timeouts
        parser = RequestParser(limits: server.limits)
        began = server.loop.now
        waits = server.slowRequest == nil ? nil : WaitTimes()
        origin = ConnectionOrigin(stream.peer)
        origin.decide(server.proxies)
    }

    /// Serves the connection to its end and closes it.
    func run() async {
        guard let waits else { return await serve() }
        await WaitTimes.$current.withValue(waits) { await serve() }
    }

    private func serve() async {
        do throws(StreamError) {
            guard try await receivePreface() else { return stream.close() }
            var inARow = 0
            while try await serveOne() {
                inARow = stream.input.isEmpty ? 0 : inARow + 1
                // Many clients that pipeline would keep the loop from its sockets and timers for seconds.
                guard inARow == Self.requestsInARow else { continue }
                inARow = 0
                await loop.sleep(for: .zero)
            }
            // A client that has ended its side still reads.
            try await sendRest()
        } catch {
            // The peer is gone or too slow; there is nobody to tell.
        }
        stream.close()
    }

    /// Another list of trusted proxies holds.
    func decideTrust() {
        origin.decide(server.proxies)
    }

    /// The server is going: a connection between requests ends as soon as its answers have left, any other after its answer.
    func drain() {
        guard case .idle = phase else { return }
        if stream.unsentCount == 0 {
            stream.close()
        } else {
            stream.setDeadline(loop.now)
        }
    }

    /// Reads one request and answers it; false when the connection is to end.
    private func serveOne() async throws(StreamError) -> Bool {
        let head: RequestHead
        switch try await receiveHead() {
        case .success(let received): head = received
        case .failure(.ended): return false
        case .failure(.failed(let failure)):
            phase = .answering
            try await refuse(router.response(to: failure, in: nil, head: nil), answering: nil, id: server.nextRequestID())
            return false
        }
        phase = .answering
        let start = loop.now
        let id = RequestID.wellFormed(in: head) ?? server.nextRequestID()
        let match = router.match(head)
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
        case .failure(.ended):
            return false
        case .failure(.failed(let failure)):
            let response = router.response(to: failure, in: match.door, head: head)
            server.record(match, response, to: request, since: start)
            try await refuse(response, answering: head.method, id: id)
            return false
        }
    }

    private func warnIfSlow(_ request: LoggedRequest, _ status: Status, _ timeline: RequestTimeline) {
        guard let slow = server.slowRequest, timeline.duration >= slow, let waits else { return }
        server.warnOfSlow(request, status: status, timeline, waits)
    }

    private func respond(to request: LoggedRequest, _ body: [UInt8], _ match: RouteMatch) async -> Response {
        switch match {
        case .found(let found):
            await found.route.handler(
                Request(
                    head: request.head, body: body, pathParameters: found.pathParameters, origin: request.origin, id: request.id))
        case .refused(let failure, let door):
            router.response(to: failure, in: door, head: request.head)
        }
    }

    /// Queues the answer; false when the connection ends with it.
    private func answer(_ response: Response, to head: RequestHead, id: String) async throws(StreamError) -> Bool {
        let persistence = server.phase.drains ? .close : head.persistence
        write(response, answering: head.method, id: id, persistence)
        if case .close = persistence {
            try await finish()
            return false
        }
        try await holdBack()
        // A server that goes does not wait for another request.
        guard server.phase.drains, stream.input.isEmpty else { return true }
        try await finish()
        return false
    }

    private func write(_ response: Response, answering method: Method?, id: String, _ persistence: Persistence) {
        let date = server.date()
        stream.write { output in
            ResponseSerializer.append(
                response, to: &output, answering: method, requestID: id, date: date, persistence: persistence)
        }
    }

    /// Answers a request that cannot be read on; what follows it is never parsed.
    private func refuse(_ response: Response, answering method: Method?, id: String) async throws(StreamError) {
        write(response, answering: method, id: id, .close)
        try await finish()
    }

    private func finish() async throws(StreamError) {
        try await sendRest()
        stream.setDeadline(loop.now.advanced(byNanoseconds: timeouts.linger))
        await stream.finish()
    }

    /// Sends everything that is queued, now.
    private func sendRest() async throws(StreamError) {
        stream.flush()
        guard stream.unsentCount > 0 else { return }
        stream.setDeadline(loop.now.advanced(byNanoseconds: timeouts.write))
        try await stream.drained(below: 0)
    }

    /// Takes no further request from a client that does not read its answers.
    private func holdBack() async throws(StreamError) {
        guard stream.unsentCount > Stream.highWaterMark else { return }
        stream.setDeadline(loop.now.advanced(byNanoseconds: timeouts.write))
        try await stream.drained()
    }
}
