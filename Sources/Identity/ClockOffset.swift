package import Redis
package import Text

/// How far a server's clock is ahead of ours, and how far that may be off, because the question took a while.
package struct ClockOffset: Equatable, Sendable {
    package let ahead: Duration
    package let uncertainty: Duration

    /// - Parameters:
    ///   - theirs: what the server said.
    ///   - asked: when it was asked, by our clock.
    ///   - answered: when the answer was there.
    package init(theirs: Timestamp, asked: Timestamp, answered: Timestamp) {
        let half = answered.duration(since: asked) / 2
        ahead = theirs.duration(since: asked.adding(half))
        uncertainty = half
    }

    /// What is certain of the difference.
    package var atLeast: Duration {
        max(.zero, (ahead < .zero ? .zero - ahead : ahead) - uncertainty)
    }

    /// From the answer to `TIME`; nil if it is none.
    package init?(redisTime reply: RedisReply, asked: Timestamp, answered: Timestamp) {
        guard let theirs = Timestamp(redisTime: reply) else { return nil }
        self.init(theirs: theirs, asked: asked, answered: answered)
    }
}

/// How far this copy's clock may be off that of Redis, which dates tokens and sessions, before that is told of.
package struct ClockTolerance: Sendable {
    package let limit: Duration
    private let system: SystemContext

    package init(limit: Duration, system: SystemContext) {
        self.limit = limit
        self.system = system
    }

    package var now: Timestamp { system.now() }

    /// Whether the clocks differ by more than that. Not where the copy's own clock is the one that counts.
    package func isExceeded(by offset: ClockOffset) -> Bool {
        system.scriptClock == .redis && offset.atLeast > limit
    }
}
