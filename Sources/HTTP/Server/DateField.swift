import Networking
import Text

/// The value of the `Date` field, rendered once a second. Confined to one loop's server.
struct DateField {
    private let clock: @Sendable () -> Timestamp
    private var validUntil = Instant(nanoseconds: 0)
    private var rendered: [UInt8] = []

    init(clock: @escaping @Sendable () -> Timestamp) {
        self.clock = clock
    }

    /// The date as an IMF-fixdate (RFC 9110 §5.6.7), at most a second old.
    mutating func bytes(at now: Instant) -> [UInt8] {
        if now < validUntil { return rendered }
        let time = clock()
        rendered = [UInt8](time.httpDate.utf8)
        validUntil = now + .milliseconds(1000 - time.milliseconds % 1000)
        return rendered
    }
}
