/// Writes log lines of one level and above to a sink, with some fields on each of them.
///
/// Message and fields are autoclosures: a line below the level costs a comparison.
package struct Logger: Sendable {
    private let threshold: LogThreshold
    private let sink: LogSink?
    private let fields: LogFields

    /// Without a sink every line is discarded.
    package init(sink: LogSink?, level: LogLevel = .info, fields: LogFields = [:]) {
        self.init(sink: sink, threshold: LogThreshold(level), fields: fields)
    }

    private init(sink: LogSink?, threshold: LogThreshold, fields: LogFields) {
        self.sink = sink
        self.threshold = threshold
        self.fields = fields
    }

    /// Of this logger and of all that were made of it by `with`.
    package var level: LogLevel {
        get { threshold.level }
        nonmutating set { threshold.level = newValue }
    }

    /// For code under test whose lines nobody reads.
    package static let disabled = Logger(sink: nil)

    /// The same logger with more fields on each line.
    package func with(_ fields: LogFields) -> Logger {
        Logger(sink: sink, threshold: threshold, fields: self.fields.merging(fields))
    }

    /// The same logger with a level of its own, whatever becomes of this one's.
    package func with(level: LogLevel) -> Logger {
        Logger(sink: sink, level: level, fields: fields)
    }

    /// Whether a line of this level would be written.
    package func isEnabled(_ level: LogLevel) -> Bool {
        sink != nil && threshold.admits(level)
    }

    /// Writes a line. Message and fields are worked out only if somebody reads it; when the sink is full, it is dropped and counted.
    package func log(
        _ level: LogLevel, _ message: @autoclosure () -> String, _ fields: @autoclosure () -> LogFields = [:]
    ) {
        guard let sink, threshold.admits(level) else { return }
        sink.write(level, message(), self.fields.merging(fields()))
    }

    package func trace(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> LogFields = [:]) {
        log(.trace, message(), fields())
    }

    package func debug(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> LogFields = [:]) {
        log(.debug, message(), fields())
    }

    package func info(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> LogFields = [:]) {
        log(.info, message(), fields())
    }

    package func warning(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> LogFields = [:]) {
        log(.warning, message(), fields())
    }

    package func error(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> LogFields = [:]) {
        log(.error, message(), fields())
    }
}
