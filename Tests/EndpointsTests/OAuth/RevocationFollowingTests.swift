import Crypto
import Server
import TestSupport
import Testing
import Text

@Suite(.needsServers, .needsOwnRedis, .timeLimit(.minutes(5)))
struct RevocationFollowingTests {
    private static let path = "/oauth2/revocations"

    /// Has so many ends written to the stream, each with its number.
    private func write(_ count: Int, to redis: TestRedis) throws {
        let script = """
            for i = 1, tonumber(ARGV[3]) do
                redis.call('XADD', KEYS[1], '*', 'm', ARGV[1], 'a', ARGV[2], 'n', 'test', 'd', tostring(i))
            end
            """
        let mark = SHA256.hash("http://localhost:8080\0http://localhost:8080").bytes.prefix(4)
        var words = ["EVAL", script, "1", "feed:revocations"].map { Array($0.utf8) }
        words += [Array(mark), Array("http://localhost:8080".utf8), Array("\(count)".utf8)]
        var bytes = Array("*\(words.count)\r\n".utf8)
        for word in words { bytes += Array("$\(word.count)\r\n".utf8) + word + Array("\r\n".utf8) }
        let connection = try TestSocket(connectingTo: redis.port)
        try connection.send(bytes)
        #expect(String(decoding: try connection.receive(), as: UTF8.self) == "$-1\r\n")
    }

    @Test func `listeners are cut off when Redis takes connections and does not have its stream read`() async throws {
        let redis = try TestRedis()
        try await Installation(redisURL: redis.url).run { installation in
            let (server, backend) = (try installation.server, try await installation.backend())
            let head = { try await server.send("HEAD", Self.path, [("Authorization", backend.basic)]).status }
            try await eventually { try await head() == 200 }
            let listener = try FeedListener(server.port, backend)
            try await listener.waitUntilReady()
            try redis.command("ACL SETUSER default -xread")
            try await eventually { listener.isOver }
            #expect(try await head() == 503)
            try redis.command("ACL SETUSER default +xread")
            try await eventually { try await head() == 200 }
        }
    }

    @Test func `many that come back together are all told what they missed, in its order`() async throws {
        let redis = try TestRedis()
        try await Installation(redisURL: redis.url).run { installation in
            let server = try installation.server
            let backends = [try await installation.backend(), try await installation.addClient("other", "--introspect")]
            let before = try await FeedListener.hearing(server.port, backends[0])
            let cursor = try #require(before.cursor)
            before.hangUp()
            // Several pages.
            try write(1000, to: redis)
            var listeners: [FeedListener] = []
            for number in 0..<24 {
                let listener = try FeedListener(server.port, backends[number % 2], from: cursor)
                // Some are gone before it is their turn.
                if number % 3 == 0 { listener.hangUp() } else { listeners.append(listener) }
            }
            let all = (1...Int64(1000)).map { JSONValue.integer($0) }
            for listener in listeners {
                try await eventually { listener.text.contains("event: current\n") }
                let events = listener.events.prefix { $0.name != "current" }
                #expect(events.first?.name == "ready")
                #expect(events.dropFirst().map(\.data) == all)
                listener.hangUp()
            }
        }
    }
}
