import Identity

/// Whether the clocks agree: tokens and sessions carry times that several machines compare.
enum ClockCheck {
    static let name = "clock"

    /// From here on a difference is worth a word.
    private static let noticeable = Duration.seconds(1)

    /// - Parameters:
    ///   - offset: nil when the server could not be asked.
    ///   - limit: from which on it is a problem.
    static func finding(of server: String, _ offset: ClockOffset?, limit: Duration) -> Finding {
        let name = "\(name)-\(server.lowercased())"
        guard let offset else { return Finding(name, .skipped, "\(server) cannot be asked for its time") }
        let direction = offset.ahead < .zero ? "behind" : "ahead of"
        let detail = "\(server)'s clock is \(milliseconds(offset.atLeast)) ms \(direction) ours"
        let remedy = "have all machines keep time with NTP"
        guard offset.atLeast <= limit else { return Finding(name, .problem(remedy), detail) }
        guard offset.atLeast <= noticeable else { return Finding(name, .advice(remedy), detail) }
        return Finding(name, .ok, "\(server)'s clock and ours agree")
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    }
}
