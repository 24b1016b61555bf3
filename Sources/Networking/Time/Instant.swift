import CEpoll
import Glibc

/// A point on the monotonic clock, in nanoseconds; steps of the wall clock do not move it.
package struct Instant: Hashable, Comparable, Sendable {
    /// Nanoseconds since an arbitrary start (the machine's boot).
    package let nanoseconds: UInt64

    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// Reads `CLOCK_MONOTONIC`. On a loop prefer `EventLoop.now`, which is read once a turn.
    package static func now() -> Instant {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
    }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The instant `duration` later; a negative duration counts as zero.
    package static func + (instant: Instant, duration: Duration) -> Instant {
        Instant(nanoseconds: instant.nanoseconds &+ duration.wholeNanoseconds)
    }

    /// The instant so many nanoseconds later: for who has worked the number out beforehand.
    package func advanced(byNanoseconds nanoseconds: UInt64) -> Instant {
        Instant(nanoseconds: self.nanoseconds &+ nanoseconds)
    }

    /// The nanoseconds from `earlier` to this instant, zero when `earlier` is not earlier.
    package func nanoseconds(since earlier: Instant) -> UInt64 {
        nanoseconds > earlier.nanoseconds ? nanoseconds - earlier.nanoseconds : 0
    }

    /// The time from `earlier` to this instant, zero when `earlier` is not earlier.
    package func since(_ earlier: Instant) -> Duration {
        .nanoseconds(nanoseconds > earlier.nanoseconds ? Int64(nanoseconds - earlier.nanoseconds) : 0)
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to 0 … 2^62.
    package var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 4_000_000_000 else { return 1 << 62 }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
