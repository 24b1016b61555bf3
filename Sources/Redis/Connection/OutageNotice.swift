package import Networking

/// Whether it is time to say that a server is away: when it has just gone, and then once in a while. Attempts to reach it come far more often.
package struct OutageNotice: Sendable {
    /// How often it is said while the outage lasts.
    package static let pause: Duration = .seconds(60)

    /// When it was last said; nil while the server is there.
    private var saidAt: Instant?

    package init() {}

    /// An attempt has failed. Returns whether that is to be said.
    package mutating func failed(at now: Instant) -> Bool {
        if let saidAt, now.since(saidAt) < Self.pause { return false }
        saidAt = now
        return true
    }

    /// An attempt has succeeded.
    package mutating func succeeded() {
        saidAt = nil
    }
}
