/// Writes log lines of one level and above to a sink, with some fields on each of them.
///
/// Message and fields are autoclosures: a line below the level costs a comparison.
package struct Logger: Sendable {
    package let level: LogLevel
    private let sink: LogSink?
    private let fields: LogFields

    /// Without a sink every line is discarded.
    package init(sink: LogSink?, level: LogLevel = .info, fields: LogFields = [:]) {
        self.sink = sink
        self.level = level
        self.fields = fields
    }

    /// For code under test whose lines nobody reads.
    package static let disabled = Logger(sink: nil)

    /// The same logger with more fields on each line.
    package func with(_ fields: LogFields) -> Logger {
        Logger(sink: sink, level: level, fields: self.fields.merging(fields))
    }

    package func isEnabled(_ level: LogLevel) -> Bool {
        level >= self.level && sink != nil
    }

    package func log(
        _ level: LogLevel, _ message: @autoclosure () -> String, _ fields: @autoclosure () -> LogFields = [:]
    ) {
        guard level >= self.level, let sink else { return }
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
