import Testing

@testable import Redis

@Suite("RedisCommand")
struct RedisCommandTests {
    private func encoded(_ command: RedisCommand) -> [UInt8] {
        var bytes: [UInt8] = []
        #expect(command.encode(into: &bytes))
        return bytes
    }

    @Test func `a command is an array of bulk strings`() {
        #expect(encoded(RedisCommand("SET", "key", "")) == [UInt8]("*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$0\r\n\r\n".utf8))
        #expect(encoded(RedisCommand("PING")) == [UInt8]("*1\r\n$4\r\nPING\r\n".utf8))
    }

    @Test func `lengths are counted in bytes, and bytes that look like the protocol stay inside`() {
        var command = RedisCommand("ECHO", "ä")
        command.append([UInt8]("\r\n$5\r\n\0\u{7f}".utf8) + [0xFF])
        command.append(-42)
        let expected = "*4\r\n$4\r\nECHO\r\n$2\r\nä\r\n$9\r\n\r\n$5\r\n\0\u{7f}"
        #expect(encoded(command) == [UInt8](expected.utf8) + [0xFF] + [UInt8]("\r\n$3\r\n-42\r\n".utf8))
    }

    @Test func `commands are written one behind the other`() {
        var bytes: [UInt8] = [1]
        #expect(RedisCommand("A").encode(into: &bytes))
        #expect(RedisCommand("B").encode(into: &bytes))
        #expect(bytes == [1] + [UInt8]("*1\r\n$1\r\nA\r\n*1\r\n$1\r\nB\r\n".utf8))
    }
}
