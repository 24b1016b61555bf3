import Glibc

/// A pipe for a sink to write to: everything in it can be read back, or its ends left alone or closed.
final class TestPipe: Sendable {
    let reading: Int32
    let writing: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        reading = ends[0]
        writing = ends[1]
    }

    /// The writing end stays open: a sink's thread may outlive its test, and must not write to whoever gets the number next.
    deinit {
        close(reading)
    }

    func makeWritingBlocking() {
        _ = fcntl(writing, F_SETFL, fcntl(writing, F_GETFL) & ~O_NONBLOCK)
    }

    /// Fills the pipe with line feeds until it takes no more; the writing end stays non-blocking.
    func fill() {
        _ = fcntl(writing, F_SETFL, fcntl(writing, F_GETFL) | O_NONBLOCK)
        while write(writing, "\n", 1) == 1 {}
    }

    /// Reads until the last line that came satisfies the condition.
    func lines(until isLast: (String) -> Bool) -> [String] {
        var bytes: [UInt8] = []
        var seen = 0
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(reading, &chunk, chunk.count)
            guard count > 0 else { return Self.split(bytes) }
            bytes.append(contentsOf: chunk[..<count])
            guard bytes.last == UInt8(ascii: "\n") else { continue }
            let lines = Self.split(bytes)
            if lines[seen...].contains(where: isLast) { return lines }
            seen = lines.count
        }
    }

    private static func split(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }
}
