/// What a request waits for, apart from its client.
package enum Awaited: Int, CaseIterable, Sendable {
    case postgres, redis, hashing, outbound
}

/// How long the request that is being answered has waited, and for what.
///
/// A connection answers one request after the other, so it has one of these for all of them, and its task carries it: who waits
/// for something adds the time to `current`, without knowing of requests. Where no times are kept that is one look-up and nothing else.
package final class WaitTimes: @unchecked Sendable {  // touched by one task, on its loop
    @TaskLocal package static var current: WaitTimes?

    private var nanoseconds: [4 of UInt64] = [0, 0, 0, 0]
    /// Why the request cannot be served, for the log alone. Without secrets and without what somebody sent.
    package private(set) var fault: String?
    /// What it is that has failed; nil for ourselves.
    package private(set) var failed: Awaited?

    package init() {}

    /// Another request begins.
    package func reset() {
        nanoseconds = [0, 0, 0, 0]
        fault = nil
        failed = nil
    }

    /// Says of the request that the current task answers, if any, why it cannot be served. The last word counts: what came before was got over.
    package static func note(fault: String, of failed: Awaited? = nil) {
        current?.fault = fault
        current?.failed = failed
    }

    package subscript(awaited: Awaited) -> UInt64 {
        nanoseconds[awaited.rawValue]
    }

    package var total: UInt64 {
        nanoseconds[0] &+ nanoseconds[1] &+ nanoseconds[2] &+ nanoseconds[3]
    }

    /// Adds the time of one wait to the request that the current task answers, if any.
    package static func add(_ awaited: Awaited, from start: Instant, to end: Instant) {
        guard start < end, let current else { return }
        current.nanoseconds[awaited.rawValue] &+= end.nanoseconds(since: start)
    }
}
