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
    /// What is reserved for the first bytes of a turn, so that the queue does not grow step by step.
    private static let typicalWrite = 1000
    /// Bytes that one read takes at most.
    private static let readSize = 16 * 1024

    private enum Ending {
        case open
        /// The peer or the kernel ended it.
        case broken(StreamError)
        case closed
    }

    package let loop: EventLoop
    package let peer: SocketAddress
    /// What has been read and not yet been taken with `consume`.
    package private(set) var input: [UInt8] = []

    /// Whether the peer answers within microseconds, so that the loop does well to wait for that first.
    package var isPrompt = false

    private let descriptor: Int32
    private let onClose: (@Sendable () -> Void)?
    private var registration: Registration?
    private var ending = Ending.open
    private var mayRead = true
    private var mayWrite = true
    /// The peer has said its last, so there will be no further edge: read on until the end.
    private var endIsNear = false
    private(set) var output: [UInt8] = []
    private var sent = 0
    private var isDirty = false
    private var tls: TLSSession?
    private var reader: UnsafeContinuation<Result<Void, StreamError>, Never>?
    private var writer: UnsafeContinuation<Result<Void, StreamError>, Never>?
    private var deadline: Instant?
    private var alarm: LoopTimer?

    /// Takes over a connected non-blocking descriptor. On the loop only.
    ///
    /// - Parameter onClose: called once, when the descriptor has been given back. Not called when this throws.
    init(
        _ descriptor: Int32, peer: SocketAddress, loop: EventLoop, onClose: (@Sendable () -> Void)? = nil
    ) throws(SystemError) {
        self.descriptor = descriptor
        self.onClose = onClose
        self.peer = peer
        self.loop = loop
        if case .ip = peer { Socket.set(TCP_NODELAY, level: Int32(IPPROTO_TCP), on: descriptor) }
        do throws(SystemError) {
            registration = try loop.register(descriptor, handler: self)
        } catch {
            Glibc.close(descriptor)
            ending = .closed
            throw error
        }
    }

    deinit {
        if case .closed = ending { return }
        // Registered streams are held by their loop, so this one has never been, or its loop has gone.
        Glibc.close(descriptor)
        onClose?()
    }

    /// Until when a suspended read or `drained()` may wait; nil for ever. Cheap: the timer behind it is moved lazily.
    package func setDeadline(_ deadline: Instant?) {
        self.deadline = deadline
        armAlarm()
    }

    /// Appends what the peer has sent to `input`, suspending until there is something; false at the end of its stream.
    /// - Throws: `StreamError`; a deadline that passes leaves the stream usable.
    package func fill() async throws(StreamError) -> Bool {
        assert(loop.isCurrent)
        while true {
            if let more = try readOnce() { return more }
            // There may be more to read when what there was is half a TLS record.
            if !mayRead { try await readable() }
        }
    }

    /// Drops the first `count` bytes of `input`.
    package func consume(_ count: Int) {
        if count == input.count {
            // An idle connection keeps no buffer.
            input = []
        } else {
            input.removeFirst(count)
        }
    }

    /// Queues bytes; they leave at the end of the loop's turn. After a failure they are dropped.
    package func write(_ bytes: [UInt8]) {
        write { $0.append(contentsOf: bytes) }
    }

    /// Lets `body` append to the queue of bytes to send.
    package func write(_ body: (inout [UInt8]) -> Void) {
        assert(loop.isCurrent)
        guard case .open = ending else { return }
        if let tls {
            var plain: [UInt8] = []
            body(&plain)
            tls.encrypt(plain, into: &output)
        } else {
            if output.isEmpty { output.reserveCapacity(Self.typicalWrite) }
            body(&output)
        }
        guard !isDirty else { return }
        isDirty = true
        loop.afterTurn(self, first: isPrompt)
    }

    /// How many bytes wait to be sent.
    package var unsentCount: Int { output.count - sent }

    /// Suspends while more than the high-water mark waits to be sent.
    package func drained(below mark: Int = Stream.highWaterMark) async throws(StreamError) {
        while true {
            try checkOpen()
            guard unsentCount > mark else { return }
            try await writable { unsentCount <= mark }
        }
    }

    /// Sends what is queued, ends this side, and waits (up to the deadline) for the peer to end its own, so that an answer is
    /// not destroyed by a reset when bytes of the peer are still unread.
    package func finish(readingAtMost limit: Int = 1 << 20) async {
        do throws(StreamError) {
            flush()
            try await drained(below: 0)
            shutdown(descriptor, Int32(SHUT_WR))
            var discarded = 0
            while discarded < limit, try await fill() {
                discarded += input.count
                input = []
            }
        } catch {
            // The peer has gone or is too slow: there is nothing more to be done for it.
        }
        close()
    }

    /// Waits for a connection that has been started to stand.
    func connected() async throws(StreamError) {
        mayWrite = false
        while !mayWrite {
            try await writable { mayWrite }
            let code = Socket.pendingError(descriptor)
            if code != 0 { throw .system(SystemError("connect", code: code)) }
        }
    }

    /// Gives the descriptor back at once; whoever waits gets `closed`.
    package func close() {
        assert(loop.isCurrent)
        if case .closed = ending { return }
        ending = .closed
        if let registration { loop.deregister(registration) }
        Glibc.close(descriptor)
        onClose?()
        cancelAlarm()
        input = []
        output = []
        sent = 0
        resume(.failure(.closed))
    }

    package func ready(_ readiness: Readiness) {
        if readiness.wantsRead {
            mayRead = true
            if !readiness.isDisjoint(with: [.hangup, .failed]) { endIsNear = true }
            resumeReader(.success(()))
        }
        if !readiness.isDisjoint(with: [.writable, .failed]) {
            mayWrite = true
            flush()
        }
    }

    package func flush() {
        isDirty = false
        guard case .open = ending else { return resumeWriter() }
        if isPrompt, unsentCount > 0 { loop.expectAnswer(on: descriptor) }
        while mayWrite, unsentCount > 0 {
            let result = unsafe output.withUnsafeBytes { bytes in
                unsafe Socket.send(descriptor, UnsafeRawBufferPointer(rebasing: bytes[sent...]))
            }
            switch result {
            case .bytes(let count): sent += count
            case .wouldBlock: mayWrite = false
            case .failed(let error): fail(.system(error))
            }
        }
        if unsentCount == 0 {
            // An idle connection keeps no buffer.
            output = []
            sent = 0
        } else if sent > max(Self.highWaterMark, unsentCount) {
            // A peer that is always a little behind would have the queue keep everything it was ever sent.
            output.removeFirst(sent)
            sent = 0
        }
        resumeWriter()
    }

    /// Reads once; nil when that would block or has brought only a part of a TLS record.
    private func readOnce() throws(StreamError) -> Bool? {
        try checkOpen()
        guard mayRead else { return nil }
        switch receive() {
        case .bytes(0):
            return false
        case .bytes(let count):
            // Less than asked for: the socket is empty, and a new edge will say when it is not.
            mayRead = endIsNear || count == Self.readSize
            return try decrypt()
        case .wouldBlock:
            mayRead = false
            return nil
        case .failed(let error):
            fail(.system(error))
            throw .system(error)
        }
    }

    private func checkOpen() throws(StreamError) {
        switch ending {
        case .open: break
        case .closed: throw .closed
        case .broken(let error): throw error
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        if let tls {
            unsafe tls.received(bytes)
        } else {
            unsafe input.append(contentsOf: bytes)
        }
    }

    /// Moves what has been received through TLS, if there is any; nil when a record is still incomplete.
    private func decrypt() throws(StreamError) -> Bool? {
        guard let tls else { return true }
        let progress = try tls.decrypt(into: &input)
        tls.collect(into: &output)
        if unsentCount > 0 { flush() }
        switch progress {
        case .plain: return true
        case .needsMore: return nil
        case .ended: return false
        }
    }

    /// Speaks TLS from here on, as the client of `serverName`. Before anything else is read or written.
    /// - Throws: `StreamError.tls` when the peer's certificate or the handshake does not hold.
    package func startTLS(_ context: TLSClientContext, serverName: String) async throws(StreamError) {
        let session = try TLSSession(context, serverName: serverName)
        tls = session
        while true {
            let done = try session.handshake()
            session.collect(into: &output)
            flush()
            if done { return }
            while try readCiphertext() == nil { try await readable() }
        }
    }

    /// Reads once into the TLS session without decrypting.
    private func readCiphertext() throws(StreamError) -> Bool? {
        guard mayRead else { return nil }
        switch receive() {
        case .bytes(0): throw .tls("the peer ended the connection during the handshake")
        case .bytes: return true
        case .wouldBlock:
            mayRead = false
            return nil
        case .failed(let error): throw .system(error)
        }
    }

    /// One `recv`, its bytes handed to `take`.
    private func receive() -> Socket.Transfer {
        unsafe withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 16) { buffer in
            let transfer = unsafe Socket.receive(descriptor, into: buffer)
            if case .bytes(let count) = transfer, count > 0 {
                unsafe take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            return transfer
        }
    }

    /// Suspends until there may be something to read. What to wait for is looked at once more where nothing suspends any longer:
    /// a task that prefers its loop can be set aside on its way here, and the edge would be missed.
    private func readable() async throws(StreamError) {
        let result: Result<Void, StreamError> = unsafe await withUnsafeContinuation { continuation in
            guard case .open = ending, !mayRead else { return unsafe continuation.resume(returning: .success(())) }
            unsafe reader = unsafe continuation
            armAlarm()
        }
        try result.get()
    }

    /// Suspends until something has been sent, unless `isDone` already.
    private func writable(_ isDone: () -> Bool) async throws(StreamError) {
        let result: Result<Void, StreamError> = unsafe await withUnsafeContinuation { continuation in
            guard case .open = ending, !isDone() else { return unsafe continuation.resume(returning: .success(())) }
            unsafe writer = unsafe continuation
            armAlarm()
        }
        try result.get()
    }

    private func fail(_ error: StreamError) {
        guard case .open = ending else { return }
        ending = .broken(error)
        output = []
        sent = 0
        resume(.failure(error))
    }

    private func resume(_ result: Result<Void, StreamError>) {
        resumeReader(result)
        if let waiting = unsafe writer {
            unsafe writer = nil
            unsafe waiting.resume(returning: result)
        }
    }

    private func resumeReader(_ result: Result<Void, StreamError>) {
        guard let waiting = unsafe reader else { return }
        unsafe reader = nil
        unsafe waiting.resume(returning: result)
    }

    /// Wakes whoever awaits `drained()`, who looks at the mark himself.
    private func resumeWriter() {
        guard let waiting = unsafe writer else { return }
        unsafe writer = nil
        unsafe waiting.resume(returning: .success(()))
    }

    /// One timer a stream: it fires at the earliest deadline it was set for and moves itself when that has changed since.
    private func armAlarm() {
        guard let deadline else { return }
        if let alarm, alarm.isPending, alarm.deadline <= deadline { return }
        cancelAlarm()
        // Not weak, which would make every retain of a stream dearer: the alarm is cancelled when the stream is closed.
        alarm = loop.schedule(at: deadline) { self.alarmFired() }
    }

    private func cancelAlarm() {
        if let alarm { loop.cancel(alarm) }
    }

    private func alarmFired() {
        guard let deadline else { return }
        if deadline <= loop.now {
            resume(.failure(.timedOut))
        } else {
            armAlarm()
        }
    }
}
