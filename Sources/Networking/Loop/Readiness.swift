import CEpoll

/// What the kernel says of a descriptor. Edge-triggered: it is said once, so act until the call would block.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// The peer has shut down its side or the connection is gone; a read tells which.
    package static let hangup = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLRDHUP.rawValue)
    package static let failed = Readiness(rawValue: EPOLLERR.rawValue)

    /// Whether a read would not block: there is data, an end or an error to collect.
    package var wantsRead: Bool {
        !isDisjoint(with: [.readable, .hangup, .failed])
    }
}

/// Something with a descriptor in a loop's epoll set.
package protocol ReadinessHandler: AnyObject, Sendable {
    /// Called on the loop. An actor pinned to the loop takes it up with `assumeIsolated`.
    func ready(_ readiness: Readiness)
}

/// Something that gathers writes while the jobs of a turn run, and sends them together at its end.
package protocol Flushable: AnyObject, Sendable {
    /// Called on the loop, once for each time it was handed to `EventLoop.afterTurn`.
    func flush()
}
