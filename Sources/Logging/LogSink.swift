import Synchronization
package import Text

/// The log could not be opened.
package enum LogSinkError: Error, Equatable, Sendable {
    /// The system gave no thread, for the reason of this `errno`.
    case noThread(errno: Int32)
}

/// Where log lines go: a bounded buffer and one thread that writes it to a descriptor.
///
/// Who logs never waits for the descriptor. When the buffer is full, lines are dropped and counted, and a line says how many as
/// soon as there is room. A descriptor that fails is tried again, and never ends the process.
package final class LogSink: Sendable {
    package let format: LogFormat
    private let clock: @Sendable () -> Timestamp
    private let writer: LogWriter

    /// `capacity` is in bytes. The descriptor stays open and the caller's; it may be blocking or not.
    package init(
        descriptor: Int32,
        format: LogFormat,
        capacity: Int = 4 << 20,
        clock: @escaping @Sendable () -> Timestamp = { Timestamp.now() }
    ) throws(LogSinkError) {
        self.format = format
        self.clock = clock
        writer = LogWriter(descriptor: descriptor, capacity: capacity) { drops in
            let fields: LogFields = ["dropped": .integer(Int64(clamping: drops))]
            return LogRecord(time: clock(), level: .warning, message: "log lines were dropped", fields: fields).rendered(
                as: format)
        }
        try writer.start()
    }

    /// Lines already accepted are still written if the descriptor takes them, without anyone waiting for it.
    deinit {
        writer.buffer.withLock { $0.close() }
        writer.wake.raise()
    }

    /// Lines dropped since the start, for the metrics.
    package var droppedLines: UInt64 {
        writer.buffer.withLock { $0.droppedLines }
    }

    /// Waits until every line logged so far is written; false if that took longer than the timeout. For the end of the program.
    @discardableResult
    package func flush(timeout: Duration = .seconds(2)) -> Bool {
        guard let waiter = writer.buffer.withLock({ $0.waiter() }) else { return true }
        writer.wake.raise()
        return waiter.signal.wait(atMost: timeout)
    }

    func write(_ level: LogLevel, _ message: String, _ fields: LogFields) {
        let line = LogRecord(time: clock(), level: level, message: message, fields: fields).rendered(as: format)
        if writer.buffer.withLock({ $0.append(line) }) { writer.wake.raise() }
    }
}
