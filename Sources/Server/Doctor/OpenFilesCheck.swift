import Networking

/// Whether the limit of open files allows the configured connections.
enum OpenFilesCheck {
    static let name = "open-files"

    static func finding(of configuration: Configuration) -> Finding {
        let budget = ConnectionBudget(
            wanted: configuration.http.maximumConnections, otherDescriptors: configuration.ownDescriptors)
        return finding(wanted: configuration.http.maximumConnections, possible: budget.limit)
    }

    static func finding(wanted: Int, possible: Int) -> Finding {
        guard possible < wanted else { return Finding(name, .ok, "enough for \(wanted) connections") }
        let remedy = "raise it (`ulimit -n`, systemd's LimitNOFILE) or lower KIDOBAN_MAX_CONNECTIONS"
        let detail = "the limit of this shell allows \(possible) connections of the \(wanted) in KIDOBAN_MAX_CONNECTIONS"
        return Finding(name, possible < 100 ? .problem(remedy) : .advice(remedy), detail)
    }
}
