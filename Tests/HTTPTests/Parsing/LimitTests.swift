import Testing

@testable import HTTP

/// Every limit at one below, at it, and one above.
@Suite struct LimitTests {
    private static let limits = Limits()

    /// A request line of exactly so many bytes.
    private static func request(line count: Int) -> String {
        let frame = "GET / HTTP/1.1".utf8.count
        return "GET /" + String(repeating: "a", count: count - frame) + " HTTP/1.1\r\nHost: a\r\n\r\n"
    }

    /// A header section of exactly so many bytes without the final empty line.
    private static func request(section count: Int) -> String {
        let frame = "Host: a\r\nX: \r\n".utf8.count
        return "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: count - frame) + "\r\n\r\n"
    }

    private static func request(fields count: Int) -> String {
        "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "x: y\r\n", count: count - 1) + "\r\n"
    }

    @Test(arguments: [-1, 0, 1]) func `a request line may have 8192 bytes`(offset: Int) {
        let conversation = Conversation(Self.request(line: 8192 + offset))
        #expect(conversation.error == (offset > 0 ? .requestLineTooLong : nil))
        #expect(conversation.requests.count == (offset > 0 ? 0 : 1))
    }

    @Test(arguments: [-1, 0, 1]) func `a header section may have 16384 bytes`(offset: Int) {
        let conversation = Conversation(Self.request(section: 16384 + offset))
        #expect(conversation.error == (offset > 0 ? .headerSectionTooLarge : nil))
        #expect(conversation.requests.count == (offset > 0 ? 0 : 1))
    }

    @Test(arguments: [-1, 0, 1]) func `a request may have 100 fields`(offset: Int) {
        let conversation = Conversation(Self.request(fields: 100 + offset))
        #expect(conversation.error == (offset > 0 ? .tooManyFields : nil))
        #expect(conversation.requests.count == (offset > 0 ? 0 : 1))
    }

    @Test func `an endless line is refused at its limit, without its end`() {
        let line = [UInt8](repeating: 0x41, count: 8193)
        #expect(Conversation([UInt8](line.prefix(8192))).error == nil)
        #expect(Conversation(line).error == .requestLineTooLong)
        #expect(Conversation(line + [UInt8](repeating: 0x41, count: 65536)).error == .requestLineTooLong)
    }

    @Test func `an endless header section is refused at its limit, without its end`() {
        let start = [UInt8]("GET / HTTP/1.1\r\nX: ".utf8)
        let value = [UInt8](repeating: 0x41, count: 16384 - 3 - 2)
        #expect(Conversation(start + value).error == nil)
        #expect(Conversation(start + value + [0x41]).error == .headerSectionTooLarge)
    }

    @Test func `a section that is full may still end, but takes no further field`() {
        let full = [UInt8](Self.request(section: 16384).utf8.dropLast(2))
        #expect(Conversation(full + [UInt8]("\r\n".utf8)).requests.count == 1)
        #expect(Conversation(full + [UInt8]("a".utf8)).error == .headerSectionTooLarge)
        #expect(Conversation(full + [UInt8]("a: b\r\n\r\n".utf8)).error == .headerSectionTooLarge)
    }

    @Test(arguments: [16, 24, 40]) func `limits can be set, and cuts do not move them`(section: Int) {
        var limits = Limits()
        limits.requestLine = 20
        limits.headerSection = section
        limits.fieldCount = 2
        for line in 18...22 {
            for count in section - 2...section + 2 {
                let text = "GET /" + String(repeating: "a", count: line - 14) + " HTTP/1.1\r\nHost: a\r\nX: "
                let padded = text + String(repeating: "b", count: count - 14) + "\r\n\r\n"
                let bytes = [UInt8](padded.utf8)
                let expected: HTTPParseError? = line > 20 ? .requestLineTooLong : count > section ? .headerSectionTooLarge : nil
                for cuts in [[]] + bytes.indices.map({ [$0] }) + [Array(bytes.indices)] {
                    #expect(Conversation(bytes, limits: limits, cuts: cuts).error == expected)
                }
            }
        }
    }

    @Test(arguments: [-1, 0, 1]) func `a declared body may have the limit and no more, before any of it is read`(
        offset: Int
    ) throws {
        let framing = BodyFraming.length(Self.limits.body + offset)
        guard offset > 0 else {
            _ = try BodyDecoder(framing: framing, limits: Self.limits)
            return
        }
        #expect(throws: HTTPParseError.bodyTooLarge) { try BodyDecoder(framing: framing, limits: Self.limits) }
    }

    @Test(arguments: ["1048577", "10737418240", "9223372036854775807"]) func `a body that is declared too large is 413 at once`(
        length: String
    ) {
        let conversation = Conversation("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
        #expect(conversation.error == .bodyTooLarge)
    }
}
