import HTTP
import Logging

extension Settings {
    static let requests = Section(
        title: "Connections and requests",
        settings: [
            Setting(
                "KIDOBAN_MAX_CONNECTIONS", \.http.maximumConnections, .count(1...1_000_000),
                "Connections of the process; fewer when its limit of open files is lower."),
            Setting(
                "KIDOBAN_MAX_CONNECTIONS_PER_ADDRESS", \.http.connectionsPerAddress, .count(1...1_000_000),
                "Of those at most so many of one client address, or of one /64 of IPv6; further ones are closed at once. "
                    + "Trusted proxies may have any number."),
            Setting(
                "KIDOBAN_CONNECTION_MEMORY", \.http.connectionMemory, .size(1024 * 1024...16 * 1024 * 1024 * 1024),
                "What all connections together may hold of requests that are not whole and of answers that are not read, at "
                    + "least four times KIDOBAN_MAX_BODY. Beyond it connections of the address that holds most are closed."),
            Setting(
                "KIDOBAN_MAX_REQUEST_LINE", \.http.limits.requestLine, .size(256...64 * 1024),
                "A longer request line is refused with 414."),
            Setting(
                "KIDOBAN_MAX_HEADER_SECTION", \.http.limits.headerSection, .size(1024...256 * 1024),
                "A larger header section is refused with 431."),
            Setting(
                "KIDOBAN_MAX_HEADER_FIELDS", \.http.limits.fieldCount, .count(10...1000),
                "A request with more header fields is refused with 431."),
            Setting(
                "KIDOBAN_MAX_BODY", \.http.limits.body, .size(1024...64 * 1024 * 1024),
                "A larger request body is refused with 413. Up to 64 KiB that is the bound of a head and its body together."),
            Setting(
                "KIDOBAN_HEADER_TIMEOUT", \.http.limits.headTimeout, .duration(.milliseconds(100) ... .minutes(10)),
                "How long a request may take to the end of its header section; then 408."),
            Setting(
                "KIDOBAN_BODY_TIMEOUT", \.http.limits.bodyTimeout, .duration(.milliseconds(100) ... .hours(1)),
                "How long the body of a request may take after that; then 408."),
            Setting(
                "KIDOBAN_IDLE_TIMEOUT", \.http.limits.idleTimeout, .duration(.milliseconds(100) ... .hours(1)),
                "How long a connection may be silent between requests before it is closed. Longer than the balancer's own."),
            Setting(
                "KIDOBAN_WRITE_TIMEOUT", \.http.limits.writeTimeout, .duration(.milliseconds(100) ... .hours(1)),
                "How long a client may leave its response unread before the connection is closed."),
        ])

    static let lifecycle = Section(
        title: "Process",
        settings: [
            Setting(
                "KIDOBAN_LOOPS", \.loops, .count(0...256),
                "Event loops, each with its own connections to PostgreSQL and Redis. 0: one for every two processors, at "
                    + "least one; the others are for password hashes and for what runs beside the server."),
            Setting(
                SettingsFile.setting, optional: \.settingsFile, .path, fallback: .nothing("none"),
                "A file of settings, read at the start and anew on SIGHUP. What the environment gives is not taken from it."),
            Setting(
                "KIDOBAN_CLOCK_TOLERANCE", \.clockTolerance, .duration(.milliseconds(100) ... .hours(1)),
                "How far this machine's clock may be off that of Redis, or of PostgreSQL, before readiness, the log and `kidoban doctor` say so."
            ),
            Setting(
                "KIDOBAN_DRAIN_DELAY", \.lifecycle.drainDelay, .duration(.zero ... .minutes(5)),
                "How long after SIGTERM the server is not ready but still accepts connections. "
                    + "Behind a balancer: longer than it takes to notice, such as 5s."
            ).reloadable,
            Setting(
                "KIDOBAN_DRAIN_TIMEOUT", \.lifecycle.drainTimeout, .duration(.zero ... .hours(1)),
                "How long requests that have begun may take after that."
            ).reloadable,
        ])

    static let logging = Section(
        title: "Log",
        settings: [
            Setting(
                "KIDOBAN_LOG_LEVEL", \.logging.level, .choice([.trace, .debug, .info, .warning, .error]),
                "Lines below this level are not written."
            ).reloadable,
            Setting(
                "KIDOBAN_LOG_FORMAT", \.logging.form, .choice([.auto, .json, .text]),
                "What a line looks like. `auto`: text on a terminal, else JSON."),
            Setting(
                "KIDOBAN_SLOW_REQUEST", \.logging.slowRequest, .duration(.zero ... .hours(1)),
                "A request that takes as long, from its first byte to its answer, is a warning that says where the time went. "
                    + "0s: none."),
        ])
}

extension Duration {
    static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }

    static func hours(_ count: Int) -> Duration { .seconds(3600 * count) }

    static func days(_ count: Int) -> Duration { .seconds(86_400 * count) }
}
