import Identity

extension Settings {
    static let jobs = Section(
        title: "Work behind requests",
        settings: [
            Setting(
                "KIDOBAN_JOBS_POLL_INTERVAL", \.jobs.pollInterval, .duration(.milliseconds(100) ... .minutes(5)),
                "How often to look for work that other copies have entered, and for what is tried again."),
            Setting(
                "KIDOBAN_JOBS_AT_ONCE", \.jobs.parallelism, .count(1...256),
                "Jobs that a copy carries out at once, of all kinds together."),
        ])
}
