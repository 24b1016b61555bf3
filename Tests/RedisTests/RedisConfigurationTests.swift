import Testing

@testable import Redis

@Suite("RedisConfiguration")
struct RedisConfigurationTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let url: String
        var endpoint = RedisConfiguration.Endpoint.host("localhost", port: 6379)
        var username: String?
        var password: String?
        var database = 0
        var usesTLS = false

        var testDescription: String { url }
    }

    @Test(arguments: [
        Example(url: "redis://"),
        Example(url: "redis://localhost"),
        Example(url: "redis://localhost/"),
        Example(url: "redis://redis.internal:6380/15", endpoint: .host("redis.internal", port: 6380), database: 15),
        Example(url: "redis://10.0.0.1:1", endpoint: .host("10.0.0.1", port: 1)),
        Example(url: "redis://my_redis-1:65535", endpoint: .host("my_redis-1", port: 65535)),
        Example(url: "redis://[::1]", endpoint: .host("::1", port: 6379)),
        Example(url: "redis://[2001:db8::1]:6380/2", endpoint: .host("2001:db8::1", port: 6380), database: 2),
        Example(url: "redis://:secret@localhost", password: "secret"),
        Example(url: "redis://alice:secret@localhost", username: "alice", password: "secret"),
        Example(url: "redis://alice@localhost", username: "alice"),
        Example(url: "redis://a%3Ab:p%40s%2Fs%25@localhost", username: "a:b", password: "p@s/s%"),
        Example(url: "redis://alice:p:w@localhost", username: "alice", password: "p:w"),
        Example(url: "redis://:p@ss@localhost", password: "p@ss"),
        Example(url: "redis://:%C3%A4@localhost", password: "ä"),
        Example(url: "rediss://localhost:6380", endpoint: .host("localhost", port: 6380), usesTLS: true),
        Example(url: "unix:///run/redis.sock", endpoint: .unix(path: "/run/redis.sock")),
        Example(url: "unix:///run/redis.sock?db=3", endpoint: .unix(path: "/run/redis.sock"), database: 3),
        Example(url: "redis+unix:///run/redis.sock", endpoint: .unix(path: "/run/redis.sock")),
    ])
    func `an address says where Redis is and who asks`(example: Example) throws {
        let configuration = try #require(RedisConfiguration(url: example.url))
        #expect(configuration.endpoint == example.endpoint)
        #expect(configuration.username == example.username)
        #expect(configuration.password == example.password)
        #expect(configuration.database == example.database)
        #expect(configuration.usesTLS == example.usesTLS)
    }

    @Test(arguments: [
        "", "redis", "localhost:6379", "http://localhost", "Redis://localhost", "redis:/localhost", "redis://host:0",
        "redis://host:65536", "redis://host:", "redis://host:+80", "redis://host:x", "redis://host/x", "redis://host/-1",
        "redis://host/+1", "redis://host/0/1", "redis://host/0?db=1", "redis://host?db=1", "redis://ho st", "redis://höst",
        "redis://::1", "redis://::1:6379", "redis://[::1", "redis://[host]", "redis://[127.0.0.1]", "redis://[::1]x",
        "redis://[::1]:x", "redis://:%4@host", "redis://:%zz@host", "redis://:%FF@host", "redis://%@host", "unix://relative",
        "unix://", "unix:///path?db=x", "unix:///path?db=-1", "unix:///path?db=", "unix:///path?other=1",
        "unix:///" + String(repeating: "x", count: 107),
    ])
    func `anything else is refused`(url: String) {
        #expect(RedisConfiguration(url: url) == nil)
    }

    @Test func `the path of a socket may be as long as the system allows`() {
        #expect(RedisConfiguration(url: "unix:///" + String(repeating: "x", count: 106)) != nil)
    }

    @Test func `it prints without its credentials`() throws {
        let configuration = try #require(RedisConfiguration(url: "rediss://hidden-user:hidden-password@[::1]:6380/2"))
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect("\(configuration)" == "rediss://[::1]:6380/2")
        for text in ["\(configuration)", String(reflecting: configuration), dumped, "\(Optional(configuration) as Any)"] {
            #expect(!text.contains("hidden"))
        }
        #expect("\(RedisConfiguration(endpoint: .unix(path: "/run/r"), password: "hidden"))" == "unix:///run/r?db=0")
    }

    @Test func `a lost server is tried again at least once a second`() {
        #expect(RedisConfiguration(endpoint: .unix(path: "/")).backOff.upperBound <= .seconds(1))
    }
}
