import Glibc
import Logging
import TestSupport

/// A log that is written to a file, every level of it.
final class TestLog: Sendable {
    let sink: LogSink
    private let directory: TestDirectory
    private let path: String
    private let descriptor: Int32

    init() throws {
        directory = try TestDirectory()
        path = "\(directory.path)/log"
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        sink = try LogSink(descriptor: descriptor, format: .json)
    }

    deinit {
        sink.flush()
        close(descriptor)
    }

    var logger: Logger { Logger(sink: sink, level: .trace) }

    /// The lines that have been logged so far.
    var lines: [String] {
        get throws {
            sink.flush(timeout: .seconds(60))
            return try TestFile.text(of: path).split(separator: "\n").map(String.init)
        }
    }
}
