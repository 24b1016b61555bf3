import CEpoll
import Glibc

/// A connected, non-blocking socket on a loop: a buffer of what has been read, a queue of what is to be written.
///
/// Reading suspends until there is something, writing never does: bytes queue up and leave in one system call at the end of
/// the loop's turn. A writer that outruns its peer awaits `drained()`.
// @unchecked: every member is touched on `loop` only, which the methods assert.
@safe
package final class Stream: ReadinessHandler, Flushable, @unchecked Sendable {
    /// Bytes that may wait to be sent before `drained()` suspends.
    package static let highWaterMark = 256 * 1024
    package let loop: EventLoop
    package let peer: SocketAddress
    /// What has been read and not yet been taken with `consume`.
    package private(set) var input: [UInt8] = []

    /// Whether the peer is a server that may answer within microseconds, for which the loop then waits first.
    package var isPrompt = false
    /// Whether nothing else is awaited of the peer when the next bytes leave.
    package var asksAlone = false

    private let descriptor: Int32
    private let onClose: (@Sendable () -> Void)?
    private var registration: Registration?
    private var state: StreamState<StreamWaiter>
    private(set) var output = OutputQueue(slack: Stream.highWaterMark)
    /// Whether the loop will call `flush()` at the end of its turn.
    private var isFlushDue = false
    /// Whom to tell that something has happened, while nobody awaits anything.
    private var sleeper: (any StreamSleeper)?
    private var tls: TLSSession?
    private var alarm: LoopTimer?

    /// Takes over a connected non-blocking descriptor. On the loop only.
    ///
    /// - Parameters:
    ///   - isEmpty: whether nothing is there to be read before the first edge.
    ///   - onClose: called once, when the descriptor has been given back. Not called when this throws.
    init(
        _ descriptor: Int32, peer: SocketAddress, loop: EventLoop, isEmpty: Bool = false, onClose: (@Sendable () -> Void)? = nil
    ) throws(SystemError) {
        self.descriptor = descriptor
        self.onClose = onClose
        self.peer = peer
        self.loop = loop
        state = StreamState(isEmpty: isEmpty)
        if case .ip = peer { Socket.set(TCP_NODELAY, level: Int32(IPPROTO_TCP), on: descriptor) }
        do throws(SystemError) {
            registration = try loop.register(descriptor, handler: self)
        } catch {
            Glibc.close(descriptor)
            _ = state.close()
            throw error
        }
    }

    deinit {
        if state.isClosed { return }
        // Registered streams are held by their loop, so this one has never been, or its loop has gone.
        Glibc.close(descriptor)
        onClose?()
    }

    /// Until when a suspended read or `drained()` may wait; nil for ever. Cheap: the timer behind it is moved lazily.
    package func setDeadline(_ deadline: Instant?) {
        setAlarm(state.setDeadline(deadline))
    }

    /// Queues bytes; they leave at the end of the loop's turn. After a failure they are dropped.
    package func write(_ bytes: [UInt8]) {
        write { $0.append(contentsOf: bytes) }
    }

    /// Lets `body` append to the queue of bytes to send.
    package func write(_ body: (inout [UInt8]) -> Void) {
        assert(loop.isCurrent)
        guard state.isOpen else { return }
        if let tls {
            var plain: [UInt8] = []
            body(&plain)
            var failure: StreamError?
            output.append { records in
                do throws(StreamError) {
                    try tls.encrypt(plain, into: &records)
                } catch {
                    failure = error
                }
            }
            if let failure { return fail(failure) }
        } else {
            output.append(body)
        }
        queueFlush()
    }

    /// Queues bytes without copying them, behind all that is queued. For many: their memory is held until they have been sent.
    package func write(sharing bytes: [UInt8]) {
        assert(loop.isCurrent)
        guard state.isOpen, !bytes.isEmpty else { return }
        guard tls == nil, output.share(bytes) else { return write(bytes) }
        queueFlush()
    }

    private func queueFlush() {
        guard !isFlushDue else { return }
        isFlushDue = true
        loop.afterTurn(self, first: isPrompt)
    }

    /// How many bytes wait to be sent.
    package var unsentCount: Int { output.unsentCount }

    /// Whether bytes wait because the peer has not read those before them.
    package var isBlocked: Bool { !state.mayWrite && unsentCount > 0 }

    /// The memory that this stream holds, apart from bytes that were queued with `write(sharing:)`.
    package var bufferedBytes: Int { input.capacity + output.capacity }

    /// How many of the bytes that wait to be sent were queued with `write(sharing:)`.
    package var sharedCount: Int { output.sharedCount }

    /// Suspends while more than the high-water mark waits to be sent.
    package func drained(below mark: Int = Stream.highWaterMark) async throws(StreamError) {
        while true {
            try state.checkOpen()
            guard unsentCount > mark else { return }
            try await writable { unsentCount <= mark }
        }
    }

    /// Waits for a connection that has been started to stand.
    func connected() async throws(StreamError) {
        state.connects()
        while !state.mayWrite {
            try await writable { state.mayWrite }
            let code = Socket.pendingError(descriptor)
            if code != 0 { throw .system(SystemError("connect", code: code)) }
        }
    }

    /// Ends this side; the peer may still send.
    func endOutput() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Gives the descriptor back at once; whoever waits gets `closed`.
    package func close() {
        assert(loop.isCurrent)
        guard let woken = state.close() else { return }
        if let registration { loop.deregister(registration) }
        Glibc.close(descriptor)
        onClose?()
        if let alarm = alarm.take() { loop.cancel(alarm) }
        input = []
        output.drop()
        sleeper = nil
        Self.resume(woken, .failure(.closed))
    }

    /// The same, and what the system still holds for the peer is thrown away: the peer sees a reset.
    package func abort() {
        assert(loop.isCurrent)
        if state.isClosed { return }
        Socket.resetAtClose(descriptor)
        close()
    }

    package func ready(_ readiness: Readiness) {
        if readiness.wantsRead {
            let isLast = !readiness.isDisjoint(with: [.hangup, .failed])
            state.readable(isLast: isLast)?.resume(.success(()))
        }
        if !readiness.isDisjoint(with: [.writable, .failed]) {
            state.writable()
            flush()
        }
        sleeper?.stirred()
    }

    package func flush() {
        isFlushDue = false
        if state.isOpen { send() }
        state.wrote()?.resume(.success(()))
    }

    private func send() {
        if isPrompt, unsentCount > 0 {
            loop.expectAnswer(on: descriptor, alone: asksAlone)
            asksAlone = false
        }
        while state.mayWrite, unsentCount > 0 {
            let transfer = unsafe output.withNext { bytes, isMoreToCome in
                unsafe Socket.send(descriptor, bytes, isMoreToCome: isMoreToCome)
            }
            switch transfer {
            case .bytes(let count): output.sent(count)
            case .wouldBlock: state.writeWouldBlock()
            case .failed(let error): fail(.system(error))
            }
        }
        output.settle()
    }

    private func fail(_ error: StreamError) {
        guard let woken = state.failed(error) else { return }
        output.drop()
        Self.resume(woken, .failure(error))
    }
}

/// What comes from the peer.
extension Stream {
    /// Appends what the peer has sent to `input`, suspending until there is something; false at the end of its stream.
    /// - Throws: `StreamError`; a deadline that passes leaves the stream usable.
    package func fill() async throws(StreamError) -> Bool {
        assert(loop.isCurrent)
        while true {
            if let more = try readOnce() { return more }
            // There may be more to read when what there was is half a TLS record.
            if !state.mayRead { try await readable() }
        }
    }

    /// Lets `body` read `input` where it is. Who keeps a copy of it has the next `consume` copy what is left.
    package func withInput<Result, Failure>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
        let input = input
        return try body(input.span)
    }

    /// Drops the first `count` bytes of `input`.
    package func consume(_ count: Int) {
        // An idle connection keeps no buffer.
        if count == input.count { input = [] } else { input.removeFirst(count) }
    }

    /// Reads once; nil when that would block or has brought only a part of a TLS record.
    private func readOnce() throws(StreamError) -> Bool? {
        try state.checkOpen()
        // What came along with the handshake, or the end that came along with the last bytes: no edge announces them again.
        if let tls, tls.hasNews, let more = try decrypt() { return more }
        guard state.mayRead else { return nil }
        switch receive() {
        case .bytes(0):
            return false
        case .bytes(let count):
            state.read(isAll: count < EventLoop.readSize)
            return tls == nil ? true : try decrypt()
        case .wouldBlock:
            state.readWouldBlock()
            return nil
        case .failed(let error):
            fail(.system(error))
            throw .system(error)
        }
    }

    /// One `recv`, its bytes handed to `take`.
    private func receive() -> Socket.Transfer {
        let buffer = unsafe loop.readBuffer
        let transfer = unsafe Socket.receive(descriptor, into: buffer)
        if case .bytes(let count) = transfer, count > 0 {
            unsafe take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        return transfer
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        if let tls {
            unsafe tls.received(bytes)
        } else {
            unsafe input.append(contentsOf: bytes)
        }
    }
}

/// TLS.
extension Stream {
    /// Speaks TLS from here on, as the client of `serverName`. Before anything else is read or written.
    /// - Throws: `StreamError.tls` when the peer's certificate or the handshake does not hold.
    package func startTLS(_ context: TLSClientContext, serverName: String) async throws(StreamError) {
        let session = try TLSSession(context, serverName: serverName)
        tls = session
        while true {
            let done = try session.handshake()
            output.append { session.collect(into: &$0) }
            flush()
            if done { return }
            while try readCiphertext() == nil { try await readable() }
        }
    }

    /// Reads once into the TLS session without decrypting.
    private func readCiphertext() throws(StreamError) -> Bool? {
        guard state.mayRead else { return nil }
        switch receive() {
        case .bytes(0): throw .tls("the peer ended the connection during the handshake")
        case .bytes: return true
        case .wouldBlock:
            state.readWouldBlock()
            return nil
        case .failed(let error): throw .system(error)
        }
    }

    /// Moves what has been received through TLS, if there is any; nil when a record is still incomplete.
    private func decrypt() throws(StreamError) -> Bool? {
        guard let tls else { return true }
        let progress = try tls.decrypt(into: &input)
        if tls.hasRecords { output.append { tls.collect(into: &$0) } }
        if unsentCount > 0 { flush() }
        switch progress {
        case .plain: return true
        case .needsMore: return nil
        case .ended: return false
        }
    }
}

/// Nobody waits: no task is needed until something happens.
extension Stream {
    /// From now on `sleeper` is told when something happens, until the stream is closed or `wakeUp()` is called.
    package func rest(_ sleeper: any StreamSleeper) {
        assert(loop.isCurrent)
        self.sleeper = sleeper
    }

    package func wakeUp() {
        sleeper = nil
    }

    /// Whether a read may bring something: bytes, the end or an error.
    package var hasNews: Bool { state.mayRead }

    /// Asks the system whether bytes have come that the loop has not been told of. Whoever waits for them goes on.
    package func looksForNews() -> Bool {
        if !state.mayRead, state.isOpen, Socket.hasInput(descriptor) { state.readable(isLast: false)?.resume(.success(())) }
        return state.mayRead
    }

    /// Whether neither side has ended it by failure.
    package var isOpen: Bool { state.isOpen }

    package var isOverdue: Bool { state.isOverdue(at: loop.now) }
}

/// Who waits for the peer, and for how long.
extension Stream {
    /// Suspends until there may be something to read. What to wait for is looked at once more where nothing suspends any longer:
    /// a task that prefers its loop can be set aside on its way here, and the edge would be missed.
    private func readable() async throws(StreamError) {
        let result: Result<Void, StreamError> = unsafe await withUnsafeContinuation { continuation in
            let waiter = unsafe StreamWaiter(continuation)
            switch state.awaitInput(waiter) {
            case .goesOn: waiter.resume(.success(()))
            case .waits(let time): setAlarm(time)
            }
        }
        try result.get()
    }

    /// Suspends until something has been sent, unless `isDone` already.
    private func writable(_ isDone: () -> Bool) async throws(StreamError) {
        let result: Result<Void, StreamError> = unsafe await withUnsafeContinuation { continuation in
            let waiter = unsafe StreamWaiter(continuation)
            guard !isDone() else { return waiter.resume(.success(())) }
            switch state.awaitOutput(waiter) {
            case .goesOn: waiter.resume(.success(()))
            case .waits(let time): setAlarm(time)
            }
        }
        try result.get()
    }

    private static func resume(_ woken: StreamState<StreamWaiter>.Woken, _ result: Result<Void, StreamError>) {
        woken.reader?.resume(result)
        woken.writer?.resume(result)
    }

    /// Sets the timer anew, if it has to be.
    private func setAlarm(_ time: Instant?) {
        guard let time else { return }
        if let alarm { loop.cancel(alarm) }
        // Not weak, which would make every retain of a stream dearer: the alarm is let go of when the stream is closed.
        alarm = loop.schedule(at: time) { self.alarmFired() }
    }

    private func alarmFired() {
        switch state.alarmFired(at: loop.now) {
        case .nothing: break
        case .again(let time): setAlarm(time)
        case .timedOut(let woken):
            Self.resume(woken, .failure(.timedOut))
            sleeper?.stirred()
        }
    }
}
