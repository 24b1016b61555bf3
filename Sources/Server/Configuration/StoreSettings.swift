import Postgres
import Redis
import Text

extension Settings {
    static let database = Section(
        title: "PostgreSQL",
        settings: [
            Setting(
                "DATABASE_URL", \.database.connectionString, .database, fallback: .value(Configuration.localDatabaseURL),
                "How to reach PostgreSQL. libpq's own variables, such as `PGPASSFILE`, fill in the rest."),
            Setting(
                "KIDOBAN_DATABASE_POOL", \.database.connectionsPerLoop, .count(1...100),
                "Connections that an event loop opens at most."),
            Setting(
                "KIDOBAN_DATABASE_QUEUE", \.database.waitingLimit, .count(1...100_000),
                "Queries of a loop that may wait for a connection; more get 503 at once."),
            Setting(
                "KIDOBAN_DATABASE_DEADLINE", \.database.deadline, .duration(.milliseconds(100) ... .minutes(5)),
                "How long a query may take, waiting included."),
            Setting(
                "KIDOBAN_DATABASE_CONNECT_TIMEOUT", \.database.connectTimeout, .duration(.seconds(2) ... .minutes(1)),
                "How long connecting to one address may take, in whole seconds, unless `DATABASE_URL` says otherwise."),
            Setting(
                "KIDOBAN_MIGRATE", \.lifecycle.migratesAtStart, .flag,
                "Whether `kidoban serve` applies missing migrations; else `kidoban migrate` has to."),
        ])

    static let redis = Section(
        title: "Redis",
        settings: [
            Setting("REDIS_URL", \.redis.server, .redis, "How to reach Redis."),
            Setting(
                "KIDOBAN_REDIS_CA_FILE", optional: \.redis.authoritiesFile, .path,
                fallback: .nothing("the system's authorities"),
                "A PEM file of the authorities to trust for `rediss://`."),
            Setting(
                "KIDOBAN_REDIS_DEADLINE", \.redis.commandDeadline, .duration(.milliseconds(10) ... .minutes(1)),
                "How long a command may take."),
            Setting(
                "KIDOBAN_REDIS_CONNECT_TIMEOUT", \.redis.connectTimeout, .duration(.milliseconds(100) ... .minutes(1)),
                "How long connecting may take."),
            Setting(
                "KIDOBAN_REDIS_REPEAT_WINDOW", \.redis.repeatWindow, .duration(.zero ... .minutes(5)),
                "How long sign-outs and revocations are repeated on new connections to Redis, because a failover may "
                    + "have lost them: as long as a replica may lag. 0s: never."
            ),
            Setting(
                "KIDOBAN_REDIS_REPEAT_LIMIT", \.redis.repeatLimit, .count(1...1_000_000),
                "How many of them a copy keeps."),
        ])
}

extension RedisConfiguration {
    /// What a URL says. Setting it leaves deadlines and limits as they are.
    fileprivate var server: RedisConfiguration {
        get { self }
        set {
            endpoint = newValue.endpoint
            username = newValue.username
            password = newValue.password
            database = newValue.database
            usesTLS = newValue.usesTLS
        }
    }
}

extension SettingFormat where Value == ConnectionString {
    static var database: SettingFormat {
        SettingFormat(
            "a `postgresql://` URI, or `keyword=value` pairs of libpq",
            isSecret: true,
            parse: { text throws(SettingRefusal) in
                if let uri = DatabaseURI(text) { try uri.check() }
                guard let configuration = try? PostgresConfiguration(connectionString: text) else {
                    throw SettingRefusal("is not a connection string that libpq can read")
                }
                return configuration.connectionString
            },
            render: { _, text in (DatabaseURI(text)?.redacted ?? DatabaseKeywords.redacted(text)).printable })
    }
}

extension SettingFormat where Value == RedisConfiguration {
    static var redis: SettingFormat {
        SettingFormat(
            "`redis://[user:password@]host[:port][/database]`, `rediss://…` for TLS, or `unix:///path[?db=N]`",
            isSecret: true,
            parse: { text throws(SettingRefusal) in
                guard let configuration = RedisConfiguration(url: text), configuration.endpoint.isPlausible else {
                    throw SettingRefusal("is not the URL of a Redis; the user name and password need %-escapes for @, :, / and %")
                }
                guard configuration.username == nil || configuration.password != nil else {
                    throw SettingRefusal("has a user name without a password")
                }
                return configuration
            },
            render: { value, _ in value.redactedURL.printable })
    }
}

extension RedisConfiguration.Endpoint {
    /// Whether a host is made of a host's characters, and not of a query or a password that went astray.
    fileprivate var isPlausible: Bool {
        switch self {
        case .host(let host, _): host.utf8.allSatisfy { $0.isUnreserved || $0 == UInt8(ascii: ":") }
        case .unix: true
        }
    }
}

extension RedisConfiguration {
    /// The URL that leads here, put together from what was understood of the one that was given.
    fileprivate var redactedURL: String {
        switch endpoint {
        case .host(let host, let port):
            let credentials = password == nil ? "" : "\(username ?? ""):\(SecretBytes.redaction)@"
            let name = host.contains(":") ? "[\(host)]" : host
            let path = database == 0 ? "" : "/\(database)"
            return "\(usesTLS ? "rediss" : "redis")://\(credentials)\(name):\(port)\(path)"
        case .unix(let path):
            return "unix://\(path)" + (database == 0 ? "" : "?db=\(database)")
        }
    }
}
