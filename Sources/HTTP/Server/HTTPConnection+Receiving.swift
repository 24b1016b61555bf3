import Logging
import Networking

/// What the client sends: the PROXY header, the head of a request, its body.
extension HTTPConnection {
    /// Takes the PROXY header off the front of a connection that must have one; false if it has none.
    func receiveProxyHeader() async throws(StreamError) -> Bool {
        guard origin.expectsProxyHeader(server.proxies) else { return true }
        stream.setDeadline(loop.now.advanced(byNanoseconds: timeouts.head))
        while true {
            do throws(ProxyHeader.Malformed) {
                let progress = try stream.withInput { input throws(ProxyHeader.Malformed) in try ProxyHeader.parse(input) }
                if case .complete(let header, let consumed) = progress {
                    stream.consume(consumed)
                    origin.take(header)
                    origin.decide(server.proxies)
                    return moveToSource()
                }
            } catch {
                server.refuse(.noProxyHeader, ["peer": .string(origin.peer)])
                return false
            }
            hold(stream.bufferedBytes, for: .task)
            guard try await stream.fill() else { return false }
        }
    }

    /// From now on the client that the PROXY header names pays for the connection; false if it has as many as one may have.
    private func moveToSource() -> Bool {
        release()
        guard let source = origin.untrustedSource else { return true }
        let next = ClientLedger.Client(source)
        guard server.admit(next, isProxy: false, origin.source) else { return false }
        server.ledger.leave(client)
        client = next
        return true
    }

    /// Where a request comes from. Costs a look into the table of fields unless one of them says something.
    func origin(of head: RequestHead, id: String, _ span: TraceSpan?) -> RequestOrigin {
        switch origin.trust {
        case .untrusted:
            if head.fields.value(of: .forwardedFor) != nil || head.fields.value(of: .forwarded) != nil {
                server.refuse(.untrustedPeer, LoggedRequest.name(id: id, peer: origin.peer, span: span))
            }
        case .trusted:
            switch server.proxies.client(toldBy: head) {
            case .notTold: break
            case .address(let client): return RequestOrigin(peer: origin.peer, source: origin.source, forwarded: client)
            case .malformed: server.refuse(.malformed, LoggedRequest.name(id: id, peer: origin.peer, span: span))
            }
        }
        return RequestOrigin(peer: origin.peer, source: origin.source)
    }

    func receiveHead() async throws(StreamError) -> Received<RecentHead> {
        phase = .idle
        began = loop.now
        stream.setDeadline(loop.now.advanced(byNanoseconds: timeouts.hot))
        while true {
            if case .idle = phase, stream.isBlocked { return .failure(.resting) }
            do throws(HTTPParseError) {
                switch try stream.withInput({ input throws(HTTPParseError) in try readHead(input) }) {
                case .complete(let head, let consumed):
                    stream.consume(consumed)
                    return .success(head)
                case .incomplete:
                    break
                }
            } catch {
                return .failure(.failed(RequestFailure(error)))
            }
            if case .idle = phase, parser.isInsideRequest {
                phase = .receiving
                stream.setDeadline(loop.now.advanced(byNanoseconds: timeouts.head))
            }
            if let refusal = try await more(holding: 0) { return .failure(refusal) }
            if case .idle = phase { began = loop.now }
        }
    }

    private func readHead(_ input: Span<UInt8>) throws(HTTPParseError) -> ParseProgress<RecentHead> {
        if let last = lastHead, !parser.isInsideRequest, last.begins(input) {
            return .complete(last, consumed: last.head.bytes.count + 2)
        }
        guard case .complete(let head, let consumed) = try parser.parse(input) else { return .incomplete }
        let read = RecentHead(head: head, match: server.handler.match(head))
        lastHead = read.isKept ? read : nil
        return .complete(read, consumed: consumed)
    }

    /// Reads the whole body, unless the answer is known to be a refusal that does not need it.
    func receiveBody(of head: RequestHead, for match: RequestMatch) async throws(StreamError) -> Received<[UInt8]> {
        if case .none = head.framing {
            release()
            return .success([])
        }
        var body: [UInt8] = []
        do throws(HTTPParseError) {
            var decoder = try BodyDecoder(framing: head.framing, limits: match.limits(limits).afterHead(head.bytes.count))
            if case .refused(let failure, _) = match, case .continueBeforeBody = head.expectation {
                return .failure(.failed(failure))
            }
            if case .continueBeforeBody = head.expectation, stream.input.isEmpty {
                stream.write { $0.append(ResponseSerializer.continueResponse) }
            }
            stream.setDeadline(loop.now.advanced(byNanoseconds: timeouts.body))
            while true {
                switch try stream.withInput({ input throws(HTTPParseError) in try decoder.decode(input, into: &body) }) {
                case .complete(let consumed):
                    stream.consume(consumed)
                    if held != 0 || body.capacity > Self.smallBody { hold(head.bytes.count + body.capacity, for: .handler) }
                    return .success(body)
                case .incomplete:
                    stream.consume(stream.input.count)
                }
                do throws(StreamError) {
                    if let refusal = try await more(holding: head.bytes.count + body.capacity) { return .failure(refusal) }
                } catch {
                    return .failure(.ended)
                }
            }
        } catch {
            return .failure(.failed(RequestFailure(error)))
        }
    }

    /// Waits for more bytes; a refusal when there are none to come for now.
    /// - Parameter bytes: what is held of the request beside the stream's own.
    private func more(holding bytes: Int) async throws(StreamError) -> Refusal? {
        while true {
            if !stream.hasNews, !isIdle { hold(stream.bufferedBytes + bytes, for: .task) }
            do throws(StreamError) {
                return try await stream.fill() ? nil : .ended
            } catch .timedOut {
                guard isIdle else { return .failed(.timeout) }
                // Something may have come in the very turn.
                if !stream.hasNews { return .resting }
            }
        }
    }

    private var isIdle: Bool {
        if case .idle = phase { true } else { false }
    }
}
