import Text

/// How far a server's clock is ahead of ours, and how far that may be off, because the question took a while.
struct ClockOffset: Equatable, Sendable {
    let ahead: Duration
    let uncertainty: Duration

    /// - Parameters:
    ///   - theirs: what the server said.
    ///   - asked: when it was asked, by our clock.
    ///   - answered: when the answer was there.
    init(theirs: Timestamp, asked: Timestamp, answered: Timestamp) {
        let half = answered.duration(since: asked) / 2
        ahead = theirs.duration(since: asked.adding(half))
        uncertainty = half
    }

    /// What is certain of the difference.
    var atLeast: Duration {
        max(.zero, (ahead < .zero ? .zero - ahead : ahead) - uncertainty)
    }
}

/// Whether the clocks agree: tokens and sessions carry times that several machines compare.
enum ClockCheck {
    static let name = "clock"

    /// - Parameter offset: nil when the server could not be asked.
    static func finding(of server: String, _ offset: ClockOffset?) -> Finding {
        let name = "\(name)-\(server.lowercased())"
        guard let offset else { return Finding(name, .skipped, "\(server) cannot be asked for its time") }
        let direction = offset.ahead < .zero ? "behind" : "ahead of"
        let detail = "\(server)'s clock is \(milliseconds(offset.atLeast)) ms \(direction) ours"
        let remedy = "have all machines keep time with NTP"
        switch offset.atLeast {
        case ...(.seconds(1)): return Finding(name, .ok, "\(server)'s clock and ours agree")
        case ...(.seconds(5)): return Finding(name, .advice(remedy), detail)
        default: return Finding(name, .problem(remedy), detail)
        }
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    }
}
