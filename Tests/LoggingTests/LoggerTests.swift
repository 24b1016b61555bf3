import Logging
import Testing
import Text

@Suite struct LoggerTests {
    private static let time = Timestamp(milliseconds: 1_763_870_706_789)
    private static let stamp = "2025-11-23T04:05:06.789Z"

    /// The lines that a body logs.
    private func lines(_ format: LogFormat = .json, level: LogLevel = .info, _ body: (Logger) -> Void) throws -> [String] {
        let pipe = TestPipe()
        let sink = try LogSink(descriptor: pipe.writing, format: format, clock: { Self.time })
        let logger = Logger(sink: sink, level: level)
        body(logger)
        logger.error("end")
        return Array(pipe.lines { $0.contains("end") }.dropLast())
    }

    @Test func `a JSON line has time, level, message and the fields in order`() throws {
        let lines = try lines { logger in
            logger.info(
                "signed in",
                [
                    "user": "u1", "attempt": 2, "ratio": 0.5, "new": true, "took": .duration(.microseconds(1500)),
                    "at": .time(Self.time),
                    "count": .integer(7),
                ])
        }
        let head =
            "{\"time\":\"\(Self.stamp)\",\"level\":\"info\",\"message\":\"signed in\",\"user\":\"u1\",\"attempt\":2,\"ratio\":0.5,"
        #expect(lines == [head + "\"new\":true,\"took\":1.5,\"at\":\"\(Self.stamp)\",\"count\":7}"])
    }

    @Test func `the level changes for all that were made of a logger`() throws {
        let lines = try lines { logger in
            let other = logger.with(["loop": 1])
            logger.level = .error
            other.info("unheard")
            #expect(!other.isEnabled(.warning))
            other.level = .debug
            logger.debug("heard")
            other.trace("unheard")
            #expect(logger.level == .debug)
        }
        #expect(lines.count == 1)
        #expect(lines.first?.contains("heard") == true)
    }

    @Test func `a logger with a level of its own keeps it, and leaves the other's alone`() throws {
        let lines = try lines { logger in
            let other = logger.with(["loop": 1]).with(level: .debug)
            logger.level = .error
            other.debug("heard", ["x": 2])
            logger.info("unheard")
            other.level = .trace
            #expect(logger.level == .error)
        }
        #expect(lines.count == 1)
        #expect(lines.first?.contains("\"message\":\"heard\",\"loop\":1,\"x\":2") == true)
    }

    @Test func `a text line can be read by people`() throws {
        let lines = try lines(.text(colour: false)) { logger in
            logger.warning(
                "slow query", ["name": "user by id", "ms": 12, "empty": "", "took": .duration(.milliseconds(3)), "a": "x=y"])
        }
        #expect(lines == ["\(Self.stamp) WARN  slow query name=\"user by id\" ms=12 empty=\"\" took=3.0ms a=\"x=y\""])
    }

    @Test func `colour comes only when asked`() throws {
        #expect(try lines(.text(colour: true)) { $0.info("x") } == ["\(Self.stamp) \u{1B}[32mINFO \u{1B}[0m x"])
        #expect(try !lines(.text(colour: false)) { $0.info("x") }.joined().contains("\u{1B}"))
    }

    @Test(arguments: LogLevel.allCases)
    func `only lines of the level and above are written`(level: LogLevel) throws {
        let lines = try lines(level: level) { logger in
            logger.trace("trace")
            logger.debug("debug")
            logger.info("info")
            logger.warning("warning")
            logger.error("error")
        }
        let expected = LogLevel.allCases.filter { $0 >= level }.map(\.rawValue)
        #expect(try lines.map { try JSON.parse($0)["level"]?.stringValue } == expected)
        #expect(try lines.map { try JSON.parse($0)["message"]?.stringValue } == expected)
    }

    @Test func `a line below the level is not even made`() throws {
        var evaluations = 0
        func costly() -> String {
            evaluations += 1
            return "costly"
        }
        _ = try lines { $0.debug(costly(), ["field": .string(costly())]) }
        Logger.disabled.error(costly())
        #expect(evaluations == 0)
        _ = try lines { $0.info(costly()) }
        #expect(evaluations == 1)
    }

    @Test func `a logger knows which levels are written`() throws {
        let sink = try LogSink(descriptor: TestPipe().writing, format: .json)
        let logger = Logger(sink: sink, level: .warning)
        #expect(!logger.isEnabled(.info))
        #expect(logger.isEnabled(.warning))
        #expect(!Logger.disabled.isEnabled(.error))
    }

    @Test func `fixed fields come first and the line's own win`() throws {
        let lines = try lines { logger in
            let request = logger.with(["request": "r1", "route": "a"])
            request.info("x", ["route": "b"])
            request.with(["step": 1]).info("y")
        }
        #expect(lines[0].hasSuffix("\"message\":\"x\",\"request\":\"r1\",\"route\":\"b\"}"))
        #expect(lines[1].hasSuffix("\"message\":\"y\",\"request\":\"r1\",\"route\":\"a\",\"step\":1}"))
    }

    @Test func `a field cannot pass for time, level or message`() throws {
        let lines = try lines { $0.info("true", ["message": "false", "level": "error", "time": "never"]) }
        let line = try JSON.parse(lines[0])
        #expect(line["message"] == "true")
        #expect(line["level"] == "info")
        #expect(line["_message"] == "false")
    }

    @Test(arguments: [
        "a\nb", "a\r\n{\"level\":\"error\"}", "\u{1B}[2J\u{1B}]0;title\u{07}", "\u{9B}31m", "\u{85}", "\u{2028}x\u{2029}",
        "\u{202E}txt.exe", "a\0b", "\u{7F}",
        "\u{FEFF}\u{200B}", "\"} {\"",
    ])
    func `no text can end its line, move the cursor or turn the writing`(text: String) throws {
        for format in [LogFormat.json, .text(colour: false)] {
            let lines = try lines(format) { $0.info(text, ["field": .string(text), text: 1]) }
            #expect(lines.count == 1)
            let harmless = lines[0].unicodeScalars.allSatisfy { scalar in
                scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && !(0x200B...0x202E).contains(scalar.value)
                    && scalar.value != 0xFEFF
            }
            #expect(harmless)
            if format == .json { #expect(try JSON.parse(lines[0])["field"] == .string(text)) }
        }
    }

    @Test(arguments: [(4096, false), (4097, true), (100_000, true)])
    func `a long text is cut`(length: Int, isCut: Bool) throws {
        let lines = try lines { $0.info("x", ["field": .string(String(repeating: "a", count: length))]) }
        let text = try #require(try JSON.parse(lines[0])["field"]?.stringValue)
        #expect(text == String(repeating: "a", count: min(length, 4096)) + (isCut ? "…" : ""))
    }

    @Test func `a long text is cut between characters`() throws {
        for shift in 0..<4 {
            let text = String(repeating: "a", count: shift) + String(repeating: "😀", count: 2000)
            let lines = try lines { $0.info(text) }
            let message = try #require(try JSON.parse(lines[0])["message"]?.stringValue)
            #expect(message.hasSuffix("😀…"))
            #expect(message.utf8.count <= 4096 + 3)
        }
    }

    @Test func `a secret in a line is redacted`() throws {
        let lines = try lines { $0.info("token \(SecretString("hunter2"))", ["token": "\(SecretString("hunter2"))"]) }
        #expect(!lines[0].contains("hunter2"))
        #expect(try JSON.parse(lines[0])["token"] == "‹redacted›")
    }
}
