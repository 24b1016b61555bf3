import Testing

@testable import Redis

@Suite("ReplyReader")
struct ReplyReaderTests {
    private static let stream =
        "+OK\r\n:-12\r\n$3\r\na\r\n\r\n$0\r\n\r\n$-1\r\n*-1\r\n*0\r\n*2\r\n*1\r\n:1\r\n-ERR no\r\n-WRONGTYPE x\r\n"
    private static let replies: [RedisReply] = [
        .status("OK"), .integer(-12), .bytes([0x61, 13, 10]), .bytes([]), .null, .null, .array([]),
        .array([.array([.integer(1)]), .error("ERR no")]), .error("WRONGTYPE x"),
    ]

    @Test(arguments: 1...stream.utf8.count)
    func `replies are the same however the bytes arrive`(size: Int) throws {
        let reader = ReplyReader()
        var rest = [UInt8](Self.stream.utf8)[...]
        var replies: [RedisReply] = []
        while !rest.isEmpty {
            try reader.feed([UInt8](rest.prefix(size)))
            rest = rest.dropFirst(size)
            while let reply = try reader.next() { replies.append(reply) }
        }
        #expect(replies == Self.replies)
    }

    @Test(arguments: [
        "garbage\r\n", "\0", "HTTP/1.1 400 Bad Request\r\n", ":1x\r\n", "$-2\r\n", "*-2\r\n", "$x\r\n", "*2147483648\r\n",
        "$99999999999999999999\r\n", "*2147483647\r\n", "*1048577\r\n", String(repeating: "*1\r\n", count: 10),
        "*1\r\n*1048577\r\n",
    ])
    func `what is not RESP, or too large, is an error for good`(text: String) {
        let reader = ReplyReader()
        #expect(throws: RedisError.unexpectedReply) {
            try reader.feed([UInt8](text.utf8))
            _ = try reader.next()
        }
        #expect(throws: RedisError.unexpectedReply) {
            try reader.feed([UInt8]("+OK\r\n".utf8))
            _ = try reader.next()
        }
    }

    @Test func `an array may have as many elements as the limit says`() throws {
        let reader = ReplyReader()
        try reader.feed([UInt8]("*\(ReplyReader.elementLimit)\r\n".utf8))
        #expect(try reader.next() == nil)
    }

    @Test(arguments: [-1, 0, 1]) func `a reply may have as many bytes as the limit says`(difference: Int) throws {
        let frame = "$16777201\r\n".utf8.count + 2
        let length = ReplyReader.replyLimit - frame + difference
        let reply = [UInt8]("$\(length)\r\n".utf8) + [UInt8](repeating: 7, count: length) + [13, 10]
        #expect(reply.count == ReplyReader.replyLimit + difference)
        let reader = ReplyReader()
        let half = [UInt8](reply.prefix(1_000_000))
        try reader.feed(half)
        #expect(try reader.next() == nil)
        let rest = [UInt8](reply.dropFirst(half.count))
        guard difference <= 0 else {
            #expect(throws: RedisError.unexpectedReply) { try reader.feed(rest) }
            return
        }
        try reader.feed(rest)
        #expect(try reader.next() == .bytes([UInt8](repeating: 7, count: length)))
        // The count begins anew with each reply.
        try reader.feed(half)
    }
}
