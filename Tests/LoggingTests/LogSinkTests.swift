import Glibc
import Logging
import Testing
import Text

@Suite struct LogSinkTests {
    private static let time = Timestamp(milliseconds: 0)

    private func message(_ line: String) throws -> String? {
        try JSON.parse(line)["message"]?.stringValue
    }

    @Test func `lines of many threads arrive whole, each once`() async throws {
        let pipe = TestPipe()
        let sink = try LogSink(descriptor: pipe.writing, format: .json, clock: { Self.time })
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    let logger = Logger(sink: sink)
                    for line in 0..<50 { logger.info("\(task)-\(line)") }
                }
            }
        }
        Logger(sink: sink).info("end")
        let messages = try pipe.lines { $0.contains("end") }.map(message)
        #expect(messages.count == 401)
        #expect(Set(messages).count == 401)
        for task in 0..<8 {
            let own = messages.compactMap(\.self).filter { $0.hasPrefix("\(task)-") }
            #expect(own == (0..<50).map { "\(task)-\($0)" })
        }
        #expect(sink.droppedLines == 0)
    }

    @Test func `flush waits until all is written`() throws {
        let path = "/tmp/kidoban-log-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        let descriptor = open(path, O_CREAT | O_RDWR | O_EXCL, 0o600)
        defer {
            close(descriptor)
            unlink(path)
        }
        let sink = try LogSink(descriptor: descriptor, format: .text(colour: false), clock: { Self.time })
        let logger = Logger(sink: sink)
        let length = "1970-01-01T00:00:00.000Z INFO  line\n".utf8.count
        for count in 1...100 {
            logger.info("line")
            #expect(sink.flush(timeout: .seconds(60)))
            #expect(lseek(descriptor, 0, SEEK_END) == off_t(count * length))
        }
        #expect(sink.flush())
    }

    @Test func `flush gives up when nobody reads`() throws {
        let pipe = TestPipe()
        pipe.fill()
        let sink = try LogSink(descriptor: pipe.writing, format: .json, clock: { Self.time })
        Logger(sink: sink).info("x")
        #expect(!sink.flush(timeout: .milliseconds(20)))
    }

    @Test(arguments: [true, false])
    func `a full buffer drops lines, counts them and says so later`(isBlocking: Bool) throws {
        let pipe = TestPipe()
        pipe.fill()
        if isBlocking { pipe.makeWritingBlocking() }
        let sink = try LogSink(descriptor: pipe.writing, format: .json, capacity: 8192, clock: { Self.time })
        let logger = Logger(sink: sink)
        var logged = 0
        while sink.droppedLines < 10 {
            logger.info("line \(logged)", ["filler": .string(String(repeating: "x", count: 1000))])
            logged += 1
        }
        var reported: Int64 = 0
        let lines = pipe.lines { line in
            reported += (try? JSON.parse(line)["dropped"]?.integerValue) ?? 0
            return reported >= 10
        }
        let notices = lines.filter { $0.contains("\"level\":\"warning\",\"message\":\"log lines were dropped\"") }
        #expect(reported == 10)
        #expect(lines.count - notices.count == logged - 10)
        logger.info("back again")
        #expect(try message(try #require(pipe.lines { _ in true }.last)) == "back again")
        #expect(sink.droppedLines == 10)
    }

    @Test func `a line larger than the buffer is dropped`() throws {
        let pipe = TestPipe()
        let sink = try LogSink(descriptor: pipe.writing, format: .json, capacity: 1000, clock: { Self.time })
        Logger(sink: sink).info("x", ["filler": .string(String(repeating: "x", count: 1000))])
        #expect(sink.droppedLines == 1)
        Logger(sink: sink).info("small")
        #expect(pipe.lines { $0.contains("small") }.contains { $0.contains("small") })
    }

    @Test func `a descriptor that takes nothing for a while loses nothing`() throws {
        let pipe = TestPipe()
        pipe.fill()
        let sink = try LogSink(descriptor: pipe.writing, format: .json, clock: { Self.time })
        for index in 0..<100 { Logger(sink: sink).info("line \(index)") }
        let messages = try pipe.lines { $0.contains("line 99") }.map(message)
        #expect(messages == (0..<100).map { "line \($0)" })
    }

    @Test func `a closed pipe does not end the process`() async throws {
        await #expect(processExitsWith: .exitCode(7)) {
            var ends: [Int32] = [-1, -1]
            pipe(&ends)
            close(ends[0])
            signal(SIGPIPE, SIG_DFL)
            let sink = try LogSink(descriptor: ends[1], format: .json)
            let logger = Logger(sink: sink)
            for _ in 0..<10 {
                logger.info("x")
                sink.flush(timeout: .milliseconds(5))
            }
            exit(7)
        }
    }

    @Test(arguments: ["/dev/full", "/dev/null/none"])
    func `a full disk or a bad descriptor fills the buffer and no more`(path: String) throws {
        let descriptor = open(path, O_WRONLY)
        let sink = try LogSink(descriptor: descriptor, format: .json, capacity: 4096, clock: { Self.time })
        let logger = Logger(sink: sink)
        for _ in 0..<1000 { logger.info("line") }
        #expect(sink.droppedLines > 900)
        #expect(!sink.flush(timeout: .milliseconds(5)))
    }

    @Test func `a sink that nobody holds writes its last lines`() throws {
        let pipe = TestPipe()
        do {
            let sink = try LogSink(descriptor: pipe.writing, format: .json, clock: { Self.time })
            Logger(sink: sink).info("last")
        }
        #expect(pipe.lines { _ in true }.contains { $0.contains("last") })
    }
}
