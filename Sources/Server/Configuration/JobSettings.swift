import Identity

extension Settings {
    static let jobs = Section(
        title: "Work behind requests",
        settings: [
            Setting(
                "KIDOBAN_JOBS_POLL_INTERVAL", \.jobs.pollInterval, .duration(.milliseconds(100) ... .minutes(5)),
                "How often to look for work that other copies have entered, such as mails, and for what is to be tried again. What a copy "
                    + "enters itself it begins at once."),
            Setting(
                "KIDOBAN_JOBS_AT_ONCE", \.jobs.parallelism, .count(1...256),
                "Jobs that a copy carries out at once, of all kinds together."),
        ])
}
