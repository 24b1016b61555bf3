import Identity
package import Logging

extension Settings {
    static let lifecycle = Section(
        title: "Process",
        settings: [
            Setting(
                "KIDOBAN_LOOPS", \.loops, .count(0...256),
                "Event loops, each with its own connections to PostgreSQL and Redis. 0: one for every two processors."),
            Setting(
                SettingsFile.setting, optional: \.settingsFile, .path, fallback: .nothing("none"),
                "A file of settings, read at the start and on SIGHUP; the environment wins."),
            Setting(
                "KIDOBAN_CLOCK_TOLERANCE", \.clockTolerance, .duration(.milliseconds(100) ... .hours(1)),
                "How far this machine's clock may be off the stores' before readiness, the log and `kidoban doctor` say so."
            ),
            Setting(
                "KIDOBAN_DRAIN_DELAY", \.lifecycle.drainDelay, .duration(.zero ... .minutes(5)),
                "How long after SIGTERM the server is not ready but takes connections: longer than the balancer takes to "
                    + "notice."
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
                "Lines below are not written."
            ).reloadable,
            Setting(
                "KIDOBAN_LOG_FORMAT", \.logging.form, .choice([.auto, .json, .text]),
                "What a line looks like. `auto`: text on a terminal, else JSON."),
            Setting(
                "KIDOBAN_SLOW_REQUEST", \.logging.slowRequest, .duration(.zero ... .hours(1)),
                "A request that takes as long is a warning that says where the time went. 0s: none."),
        ])
}

extension Configuration {
    /// The beginning and the end of the process.
    package struct Lifecycle: Sendable {
        /// Whether `serve` applies the migrations that are missing, instead of refusing to start without them.
        package var migratesAtStart = true
        /// How long readiness is refused before the listeners close, so that balancers turn away first.
        package var drainDelay: Duration = .seconds(1)
        /// How long requests that have begun may take after that.
        package var drainTimeout: Duration = .seconds(25)

        package init() {}
    }

    /// What is logged, and how it looks.
    package struct Logging: Sendable {
        /// The form of log lines.
        package enum Form: String, Sendable, CaseIterable {
            /// Text on a terminal, else JSON.
            case auto
            case json
            case text
        }

        package var level: LogLevel = .info
        package var form: Form = .auto
        /// A request that takes as long is a line of its own; zero for none.
        package var slowRequest: Duration = .seconds(1)

        package init() {}

        /// - Parameter isTerminal: whether the lines go to a terminal, which also decides whether they are coloured.
        package func format(isTerminal: Bool) -> LogFormat {
            switch form {
            case .auto: isTerminal ? .text(colour: true) : .json
            case .json: .json
            case .text: .text(colour: isTerminal)
            }
        }
    }
}

extension Duration {
    static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }

    static func hours(_ count: Int) -> Duration { .seconds(3600 * count) }

    static func days(_ count: Int) -> Duration { .seconds(86_400 * count) }
}

extension Settings {
    static let jobs = Section(
        title: "Work behind requests",
        settings: [
            Setting(
                "KIDOBAN_JOBS_POLL_INTERVAL", \.jobs.pollInterval, .duration(.milliseconds(100) ... .minutes(5)),
                "How often to look for work of other copies, and for what is tried again."),
            Setting(
                "KIDOBAN_JOBS_AT_ONCE", \.jobs.parallelism, .count(1...256),
                "Jobs that a copy carries out at once."),
        ])
}
