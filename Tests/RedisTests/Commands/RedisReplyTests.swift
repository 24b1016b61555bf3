import Testing

@testable import Redis

@Suite("RedisReply")
struct RedisReplyTests {
    private static let replies: [RedisReply] = [
        .null, .status("OK"), .integer(7), .bytes([0x34, 0x32]), .array([.null]), .error("ERR"), .bytes([0xFF]),
    ]

    @Test func `only a bulk string has text`() {
        #expect(Self.replies.map(\.text) == [nil, nil, nil, "42", nil, nil, "\u{FFFD}"])
    }

    @Test func `a number may come as an integer or as text`() {
        #expect(Self.replies.map(\.integerValue) == [nil, nil, 7, 42, nil, nil, nil])
    }

    @Test func `only an array has elements`() {
        #expect(Self.replies.map(\.elements) == [nil, nil, nil, nil, [.null], nil, nil])
    }
}
