import Glibc
import Synchronization
import Text

/// The thread that writes a sink's lines to its descriptor, and what it shares with the sink.
final class LogWriter: Sendable {
    let buffer: Mutex<LogBuffer>
    let wake = WakeSignal()
    private let descriptor: Int32
    private let dropNotice: @Sendable (UInt64) -> [UInt8]

    /// How long a descriptor that fails is left alone: a full disk may have room again, a closed pipe costs nothing.
    private static let pauseInMilliseconds: Int32 = 250

    /// How long the first line after a silence waits for company: a busy server then pays one wake-up for many lines.
    private static let gatheringInMilliseconds: Int32 = 5

    init(descriptor: Int32, capacity: Int, dropNotice: @escaping @Sendable (UInt64) -> [UInt8]) {
        self.descriptor = descriptor
        self.dropNotice = dropNotice
        buffer = Mutex(LogBuffer(capacity: capacity))
    }

    /// Starts the thread, which lives until the buffer is closed and empty.
    func start() throws(LogSinkError) {
        let reference = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let result = pthread_create(&thread, nil, runLogWriter, reference.toOpaque())
        guard result == 0 else {
            reference.release()
            throw LogSinkError.noThread(errno: result)
        }
        pthread_detach(thread)
    }

    /// The body of the thread.
    fileprivate func run() {
        // A closed pipe must give EPIPE, not end the process, and signals are for the threads that expect them.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_SETMASK, &signals, nil)
        var batch: [UInt8] = []
        while true {
            var drops: UInt64 = 0
            let (hasWork, isClosing) = buffer.withLock { ($0.take(into: &batch, drops: &drops), $0.isClosing) }
            guard hasWork else {
                if isClosing { return }
                wake.wait()
                poll(nil, 0, Self.gatheringInMilliseconds)
                continue
            }
            if drops > 0 { batch.append(contentsOf: dropNotice(drops) + [UInt8(ascii: "\n")]) }
            guard write(batch) else { return }
            for waiter in buffer.withLock({ $0.finishBatch() }) { waiter.signal.raise() }
        }
    }

    /// Writes all bytes, however long it takes; false if the sink is gone and the descriptor does not take them.
    private func write(_ bytes: [UInt8]) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress?.advanced(by: offset), $0.count - offset) }
            let failure = errno
            if count > 0 {
                offset += count
            } else if count == 0 || failure != EINTR {
                if buffer.withLock({ $0.isClosing }) { return false }
                recover(isFull: count < 0 && failure == EAGAIN)
            }
        }
        return true
    }

    private func recover(isFull: Bool) {
        if isFull {
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let isReady = poll(&request, 1, Self.pauseInMilliseconds) > 0 && request.revents & Int16(POLLOUT) != 0
            if isReady { return }
        }
        poll(nil, 0, Self.pauseInMilliseconds)
    }
}

/// A C function of its own: a closure written in an isolated context would trap on this thread.
private func runLogWriter(_ reference: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let reference else { return nil }
    Unmanaged<LogWriter>.fromOpaque(reference).takeRetainedValue().run()
    return nil
}
