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
    static let readSize = 16 * 1024

    enum Ending {
        case open
        /// The peer or the kernel ended it.
        case broken(StreamError)
        case closed
    }

    package let loop: EventLoop
    package let peer: SocketAddress
    /// What has been read and not yet been taken with `consume`.
    package internal(set) var input: [UInt8] = []

    /// Whether the peer answers what it is asked and may be near, so that the loop may do well to wait for that first.
    package var isPrompt = false
    /// Whether what is written next is all that the peer is to answer.
    package var asksAlone = false

    let descriptor: Int32
    private let onClose: (@Sendable () -> Void)?
    private var registration: Registration?
    var ending = Ending.open
    var mayRead = true
    var mayWrite = true
    /// The peer has said its last, so there will be no further edge: read on until the end.
    var endIsNear = false
    var output: [UInt8] = []
    var sent = 0
    /// Goes out behind `output`, from where it is: many streams may have the same bytes.
    private var tail: [UInt8] = []
    private var tailSent = 0
    private var isDirty = false
    /// Whom to tell that something has happened, while nobody awaits anything.
    var sleeper: (any StreamSleeper)?
    var tls: TLSSession?
    var reader: UnsafeContinuation<Result<Void, StreamError>, Never>?
    var writer: UnsafeContinuation<Result<Void, StreamError>, Never>?
    var deadline: Instant?
    var alarm: LoopTimer?

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

    /// Queues bytes; they leave at the end of the loop's turn. After a failure they are dropped.
    package func write(_ bytes: [UInt8]) {
        write { $0.append(contentsOf: bytes) }
    }

    /// Lets `body` append to the queue of bytes to send.
    package func write(_ body: (inout [UInt8]) -> Void) {
        assert(loop.isCurrent)
        guard case .open = ending else { return }
        if !tail.isEmpty { appendTail() }
        if let tls {
            var plain: [UInt8] = []
            body(&plain)
            do throws(StreamError) {
                try tls.encrypt(plain, into: &output)
            } catch {
                return fail(error)
            }
        } else {
            if output.isEmpty { output.reserveCapacity(Self.typicalWrite) }
            body(&output)
        }
        queueFlush()
    }

    /// Queues bytes without copying them, behind all that is queued. For many: their memory is held until they have been sent.
    package func write(sharing bytes: [UInt8]) {
        assert(loop.isCurrent)
        guard case .open = ending, !bytes.isEmpty else { return }
        guard tls == nil, tail.isEmpty else { return write(bytes) }
        (tail, tailSent) = (bytes, 0)
        queueFlush()
    }

    private func queueFlush() {
        guard !isDirty else { return }
        isDirty = true
        loop.afterTurn(self, first: isPrompt)
    }

    /// Something else follows the shared bytes, so that they have to be copied after all.
    private func appendTail() {
        output.append(contentsOf: tail[tailSent...])
        (tail, tailSent) = ([], 0)
    }

    /// How many bytes wait to be sent.
    package var unsentCount: Int { output.count - sent + tail.count - tailSent }

    /// Whether bytes wait because the peer has not read those before them.
    package var isBlocked: Bool { !mayWrite && unsentCount > 0 }

    /// The memory that this stream holds, apart from bytes that were queued with `write(sharing:)`.
    package var bufferedBytes: Int { input.capacity + output.capacity }

    /// How many of the bytes that wait to be sent were queued with `write(sharing:)`.
    package var sharedCount: Int { tail.count }

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
        dropOutput()
        sleeper = nil
        resume(.failure(.closed))
    }

    /// The same, and what the system still holds for the peer is thrown away: the peer sees a reset.
    package func abort() {
        assert(loop.isCurrent)
        if case .closed = ending { return }
        Socket.resetAtClose(descriptor)
        close()
    }

    private func dropOutput() {
        (output, sent) = ([], 0)
        if !tail.isEmpty { (tail, tailSent) = ([], 0) }
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
        sleeper?.stirred()
    }

    package func flush() {
        isDirty = false
        guard case .open = ending else { return resumeWriter() }
        if isPrompt, unsentCount > 0 {
            loop.expectAnswer(on: descriptor, alone: asksAlone)
            asksAlone = false
        }
        while mayWrite, unsentCount > 0 {
            switch sendNext() {
            case .bytes(let count):
                if sent < output.count { sent += count } else { tailSent += count }
            case .wouldBlock: mayWrite = false
            case .failed(let error): fail(.system(error))
            }
        }
        if unsentCount == 0 {
            // An idle connection keeps no buffer.
            dropOutput()
        } else if sent == output.count {
            (output, sent) = ([], 0)
        } else if sent > max(Self.highWaterMark, unsentCount) {
            // A peer that is always a little behind would have the queue keep everything it was ever sent.
            output.removeFirst(sent)
            sent = 0
        }
        resumeWriter()
    }

    private func sendNext() -> Socket.Transfer {
        guard sent < output.count else {
            return unsafe tail.withUnsafeBytes { bytes in
                unsafe Socket.send(descriptor, UnsafeRawBufferPointer(rebasing: bytes[tailSent...]))
            }
        }
        return unsafe output.withUnsafeBytes { bytes in
            unsafe Socket.send(descriptor, UnsafeRawBufferPointer(rebasing: bytes[sent...]), isMoreToCome: !tail.isEmpty)
        }
    }

    func checkOpen() throws(StreamError) {
        switch ending {
        case .open: break
        case .closed: throw .closed
        case .broken(let error): throw error
        }
    }

    func fail(_ error: StreamError) {
        guard case .open = ending else { return }
        ending = .broken(error)
        dropOutput()
        resume(.failure(error))
    }
}
