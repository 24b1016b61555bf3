import Testing

@testable import Server

/// A setting with bounds: the texts just outside them and of the bounds themselves.
struct BoundedSetting: Sendable, CustomTestStringConvertible {
    let name: String
    let below: String?
    let lowest: String
    let highest: String
    let above: String
    let others: [String: String]

    /// - Parameter below: nil when nothing can be written that is less.
    init(_ name: String, _ below: String?, _ lowest: String, _ highest: String, _ above: String, _ others: [String: String] = [:])
    {
        self.name = name
        self.below = below
        self.lowest = lowest
        self.highest = highest
        self.above = above
        self.others = others
    }

    var testDescription: String {
        name
    }

    static let all: [BoundedSetting] = [
        .init("KIDOBAN_ACCESS_TOKEN_LIFETIME", "999ms", "1s", "1d", "86401s"),
        .init("KIDOBAN_CLIENT_CACHE_LIFETIME", nil, "0s", "1h", "3601s"),
        .init("KIDOBAN_SESSION_IDLE_LIFETIME", "999ms", "1s", "365d", "31536001s", short.merging(long) { $1 }),
        .init("KIDOBAN_SESSION_LIFETIME", "999ms", "1s", "3650d", "3651d", short),
        .init("KIDOBAN_SESSIONS_PER_USER", "0", "1", "1000", "1001"),
        .init("KIDOBAN_REFRESH_GRACE", nil, "0s", "1h", "3601s"),
        .init("KIDOBAN_REFRESH_RECOVERY", nil, "0s", "30d", "31d", ["KIDOBAN_REFRESH_GRACE": "0s"]),
        .init(
            "KIDOBAN_COOKIE_IDLE_LIFETIME", "999ms", "1s", "365d", "31536001s", ["KIDOBAN_COOKIE_LIFETIME": "3650d"]),
        .init("KIDOBAN_COOKIE_LIFETIME", "999ms", "1s", "3650d", "3651d", ["KIDOBAN_COOKIE_IDLE_LIFETIME": "1s"]),
        .init(
            "KIDOBAN_COOKIE_REMEMBERED_IDLE_LIFETIME", "999ms", "1s", "365d", "31536001s",
            ["KIDOBAN_COOKIE_REMEMBERED_LIFETIME": "3650d"]),
        .init(
            "KIDOBAN_COOKIE_REMEMBERED_LIFETIME", "999ms", "1s", "3650d", "3651d",
            ["KIDOBAN_COOKIE_REMEMBERED_IDLE_LIFETIME": "1s"]),
        .init("KIDOBAN_ARGON2_MEMORY", "7167", "7168", "262144", "262145"),
        .init("KIDOBAN_ARGON2_ITERATIONS", "0", "1", "16", "17"),
        .init("KIDOBAN_ARGON2_PARALLELISM", "0", "1", "8", "9"),
        .init("KIDOBAN_HASH_THREADS", nil, "0", "64", "65"),
        .init("KIDOBAN_HASH_QUEUE", "0", "1", "10000", "10001"),
        .init("KIDOBAN_HASH_QUEUE_ADDRESS", "0", "1", "10000", "10001"),
        .init("KIDOBAN_HASH_QUEUE_SITE", "0", "1", "10000", "10001"),
        .init("KIDOBAN_HASH_QUEUE_ACCOUNT", "0", "1", "10000", "10001"),
        .init("KIDOBAN_HASH_QUEUE_CLIENT", "0", "1", "10000", "10001"),
        .init("KIDOBAN_AUDIT_QUEUE", "99", "100", "1000000", "1000001"),
        .init("KIDOBAN_LIMIT_SPRAY_ACCOUNTS", nil, "0", "10000", "10001"),
        .init("KIDOBAN_AUDIT_RETENTION", nil, "0s", "36500d", "36501d"),
        .init("KIDOBAN_LIMIT_KNOWN_DEVICE_LIFETIME", "59m", "1h", "365d", "366d"),
        .init("KIDOBAN_LIMIT_KNOWN_DEVICES", "0", "1", "1000", "1001"),
        .init("KIDOBAN_DATABASE_POOL", "0", "1", "100", "101"),
        .init("KIDOBAN_DATABASE_QUEUE", "0", "1", "100000", "100001"),
        .init("KIDOBAN_DATABASE_DEADLINE", "99ms", "100ms", "5m", "301s"),
        .init("KIDOBAN_DATABASE_CONNECT_TIMEOUT", "1999ms", "2s", "1m", "61s"),
        .init("KIDOBAN_REDIS_DEADLINE", "9ms", "10ms", "1m", "61s"),
        .init("KIDOBAN_REDIS_CONNECT_TIMEOUT", "99ms", "100ms", "1m", "61s"),
        .init("KIDOBAN_REDIS_REPEAT_WINDOW", nil, "0s", "5m", "301s"),
        .init("KIDOBAN_REDIS_REPEAT_LIMIT", "0", "1", "1000000", "1000001"),
        .init("KIDOBAN_SMTP_CONNECT_TIMEOUT", "99ms", "100ms", "1m", "61s"),
        .init("KIDOBAN_SMTP_TIMEOUT", "999ms", "1s", "5m", "301s"),
        .init("KIDOBAN_SMTP_CONNECTIONS", "0", "1", "32", "33"),
        .init("KIDOBAN_JOBS_POLL_INTERVAL", "99ms", "100ms", "5m", "301s"),
        .init("KIDOBAN_JOBS_AT_ONCE", "0", "1", "256", "257"),
        .init("KIDOBAN_MAIL_LONGEST_PAUSE", "999ms", "1s", "6h", "21601s"),
        .init("KIDOBAN_MAIL_RETENTION", "59m", "1h", "90d", "91d"),
        .init("KIDOBAN_UNDO_LIFETIME", "59m", "1h", "30d", "31d"),
        .init("KIDOBAN_OUTBOUND_CONNECT_TIMEOUT", "99ms", "100ms", "1m", "61s"),
        .init("KIDOBAN_OUTBOUND_TIMEOUT", "99ms", "100ms", "1m", "61s"),
        .init("KIDOBAN_KEY_REFETCH_INTERVAL", "999ms", "1s", "1h", "61m"),
        .init("KIDOBAN_MAX_CONNECTIONS", "0", "1", "1000000", "1000001"),
        .init("KIDOBAN_MAX_CONNECTIONS_PER_ADDRESS", "0", "1", "1000000", "1000001"),
        .init("KIDOBAN_CONNECTION_MEMORY", "1048575", "1MiB", "16384MiB", "16385MiB"),
        .init("KIDOBAN_MAX_REQUEST_LINE", "255", "256", "64KiB", "65537"),
        .init("KIDOBAN_MAX_HEADER_SECTION", "1023", "1KiB", "256KiB", "257KiB"),
        .init("KIDOBAN_MAX_HEADER_FIELDS", "9", "10", "1000", "1001"),
        .init("KIDOBAN_MAX_BODY", "1023", "1024", "64MiB", "65MiB"),
        .init("KIDOBAN_HEADER_TIMEOUT", "99ms", "100ms", "10m", "601s"),
        .init("KIDOBAN_BODY_TIMEOUT", "99ms", "100ms", "1h", "61m"),
        .init("KIDOBAN_IDLE_TIMEOUT", "99ms", "100ms", "1h", "61m"),
        .init("KIDOBAN_WRITE_TIMEOUT", "99ms", "100ms", "1h", "61m"),
        .init("KIDOBAN_LOOPS", nil, "0", "256", "257"),
        .init("KIDOBAN_DRAIN_DELAY", nil, "0s", "5m", "301s"),
        .init("KIDOBAN_DRAIN_TIMEOUT", nil, "0s", "1h", "61m"),
        .init("KIDOBAN_SLOW_REQUEST", nil, "0s", "1h", "61m"),
    ]

    private static let short = ["KIDOBAN_ACCESS_TOKEN_LIFETIME": "1s", "KIDOBAN_SESSION_IDLE_LIFETIME": "1s"]
    private static let long = ["KIDOBAN_SESSION_LIFETIME": "3650d"]
}

@Suite struct SettingRefusalTests {
    @Test(arguments: BoundedSetting.all)
    func `a bound is accepted, and what is outside is refused`(_ setting: BoundedSetting) throws {
        func problems(_ text: String) -> [ConfigurationProblem] {
            Sample.problems(setting.others.merging([setting.name: text]) { $1 })
        }
        #expect(problems(setting.lowest).isEmpty)
        #expect(problems(setting.highest).isEmpty)
        let expectation = try #require(Settings.all.first { $0.name == setting.name }?.expectation)
        if let below = setting.below {
            let refusal = ConfigurationProblem(
                setting.name, .refused("is less than \(setting.lowest.normalised)"), expected: expectation)
            #expect(problems(below) == [refusal])
        }
        let refusal = ConfigurationProblem(
            setting.name, .refused("is more than \(setting.highest.normalised)"), expected: expectation)
        #expect(problems(setting.above) == [refusal])
        #expect(problems(setting.above.withMoreDigits) == [refusal])
    }

    @Test(arguments: BoundedSetting.all)
    func `what is no number is refused`(_ setting: BoundedSetting) {
        for text in ["-1", "+1", "1.5", "one", "0x10", "١", "1_000", "1e3", "NaN", "5x"] {
            #expect(Sample.problems([setting.name: text]).map(\.name) == [setting.name], "\(text)")
        }
    }

    @Test(arguments: [
        ("KIDOBAN_LISTEN", "localhost:8080"), ("KIDOBAN_LISTEN", "8080"), ("KIDOBAN_LISTEN", "0.0.0.0:65536"),
        ("KIDOBAN_LISTEN", "::1:8080"), ("KIDOBAN_OPERATIONS_LISTEN", "127.0.0.1"), ("KIDOBAN_OPERATIONS_LISTEN", "256.0.0.1:1"),
        ("KIDOBAN_TRUSTED_PROXIES", "0.0.0.0/0"), ("KIDOBAN_TRUSTED_PROXIES", "::/0"),
        ("KIDOBAN_TRUSTED_PROXIES", "0.0.0.0/1,128.0.0.0/1"),
        ("KIDOBAN_TRUSTED_PROXIES", "10.0.0.0/7"), ("KIDOBAN_TRUSTED_PROXIES", "2000::/3"),
        ("KIDOBAN_TRUSTED_PROXIES", "fc00::/6"),
        ("KIDOBAN_TRUSTED_PROXIES", "::ffff:0:0/96"), ("KIDOBAN_TRUSTED_PROXIES", "10.0.0.1/8"),
        ("KIDOBAN_TRUSTED_PROXIES", "haproxy"),
        ("KIDOBAN_TRUSTED_PROXIES", "10.0.0.10,"), ("KIDOBAN_TRUSTED_PROXIES", "10.0.0.10 10.0.0.11"),
        ("KIDOBAN_TRUSTED_PROXIES", " "),
        ("KIDOBAN_TRUSTED_PROXIES", "10.0.0.10,10.0.0.10/32"), ("KIDOBAN_TRUSTED_PROXIES", "*"),
        ("KIDOBAN_TRUSTED_PROXIES", "[::1]"),
        ("KIDOBAN_FORWARDED_HEADER", "X-Forwarded-For"), ("KIDOBAN_FORWARDED_HEADER", "x-real-ip"),
        ("KIDOBAN_FORWARDED_HEADER", ""),
        ("KIDOBAN_PROXY_PROTOCOL", "v2"), ("KIDOBAN_PROXY_PROTOCOL", "true"),
        ("KIDOBAN_APIS", "app,"), ("KIDOBAN_APIS", "app,app"), ("KIDOBAN_APIS", "app,oath"), ("KIDOBAN_APIS", "App"),
        ("KIDOBAN_APIS", "all,app"),
        ("KIDOBAN_ECHOLOG_PREFIX", "api"), ("KIDOBAN_ECHOLOG_PREFIX", "/"), ("KIDOBAN_ECHOLOG_PREFIX", "/api/"),
        ("KIDOBAN_ECHOLOG_PREFIX", "/a//b"), ("KIDOBAN_ECHOLOG_PREFIX", "/a/../b"), ("KIDOBAN_ECHOLOG_PREFIX", "/{id}"),
        ("KIDOBAN_ECHOLOG_PREFIX", "/a%2Fb"), ("KIDOBAN_ECHOLOG_PREFIX", "/" + String(repeating: "a", count: 128)),
        ("KIDOBAN_COOKIE_ORIGINS", "null"), ("KIDOBAN_COOKIE_ORIGINS", "https://a.example/"),
        ("KIDOBAN_COOKIE_ORIGINS", "https://a.example, https://b.example"), ("KIDOBAN_COOKIE_ORIGINS", "*"),
        ("KIDOBAN_COOKIE_SAME_SITE", "Lax"), ("KIDOBAN_COOKIE_SAME_SITE", ""), ("KIDOBAN_COOKIE_TOUCH_SLIDES", "1"),
        ("KIDOBAN_SIGNING_ALGORITHM", "none"), ("KIDOBAN_SIGNING_ALGORITHM", "PS256"), ("KIDOBAN_SIGNING_ALGORITHM", "es256"),
        ("KIDOBAN_AUDIENCE", "a b"), ("KIDOBAN_AUDIENCE", "a\"b"), ("KIDOBAN_AUDIENCE", "*"), ("KIDOBAN_AUDIENCE", "é"),
        ("KIDOBAN_AUDIENCE", String(repeating: "a", count: 256)),
        ("KIDOBAN_PREVIOUS_MASTER_KEY", "short"),
        ("KIDOBAN_MASTER_KEY", "short"), ("KIDOBAN_MASTER_KEY", String(repeating: "0", count: 64)),
        ("KIDOBAN_MASTER_KEY", Sample.masterKey + "00"), ("KIDOBAN_MASTER_KEY", String(Sample.masterKey.dropLast())),
        ("KIDOBAN_MASTER_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="),
        ("KIDOBAN_ECHOLOG_LEGACY_UNVERIFIED_OAUTH", "yes"), ("KIDOBAN_MIGRATE", "yes"), ("KIDOBAN_MIGRATE", "1"),
        ("KIDOBAN_MIGRATE", "TRUE"),
        ("KIDOBAN_LOG_LEVEL", "verbose"), ("KIDOBAN_LOG_FORMAT", "xml"),
        ("DATABASE_URL", "kidoban"), ("DATABASE_URL", "mysql://localhost/kidoban"), ("DATABASE_URL", "host=a nonsense=b"),
        ("REDIS_URL", "localhost:6379"), ("REDIS_URL", "http://localhost"), ("REDIS_URL", "redis://localhost/zero"),
        ("REDIS_URL", "redis://localhost:0"), ("REDIS_URL", "redis://localhost?db=1"), ("REDIS_URL", "redis://user@localhost"),
        ("KIDOBAN_OUTBOUND_PROXY", "proxy.example.com:3128"), ("KIDOBAN_OUTBOUND_PROXY", "https://proxy.example.com:3128"),
        ("KIDOBAN_OUTBOUND_PROXY", "http://proxy.example.com"),
        ("KIDOBAN_OUTBOUND_PROXY", "http://user:pass@proxy.example.com:1"),
        ("KIDOBAN_OUTBOUND_PROXY", "http://:3128"), ("KIDOBAN_OUTBOUND_PROXY", "http://proxy.example.com:0"),
        ("KIDOBAN_OUTBOUND_PROXY", "http://proxy.example.com:1/"), ("KIDOBAN_OUTBOUND_PROXY", "http://a b:1"),
        ("REDIS_URL", "redis://:pass/word@localhost"), ("REDIS_URL", "redis://lo cal"),
    ])
    func `a bad value is refused`(_ name: String, _ text: String) {
        let problems = Sample.problems([name: text])
        #expect(problems.map(\.name) == [name])
        #expect(problems.allSatisfy { $0.expectation != nil })
    }
}

extension String {
    /// As the limit is written in messages.
    fileprivate var normalised: String {
        self == "1024" ? "1KiB" : self
    }

    /// The same with digits enough to overflow every integer.
    fileprivate var withMoreDigits: String {
        String(repeating: "9", count: 30) + self
    }
}
