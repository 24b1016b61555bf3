/// Bytes that wait to be sent: some that are kept here, and behind them some that many streams may share.
struct OutputQueue {
    /// What is reserved for the first bytes of a turn, so that the queue does not grow step by step.
    private static let typicalWrite = 1000
    /// How many bytes that have been sent may be kept in front of others.
    private let slack: Int

    private var own: [UInt8] = []
    private var ownSent = 0
    /// Goes out behind `own`, from where it is.
    private var shared: [UInt8] = []
    private var sharedSent = 0

    init(slack: Int) {
        self.slack = slack
    }

    var unsentCount: Int { own.count - ownSent + shared.count - sharedSent }

    /// How many of them are shared.
    var sharedCount: Int { shared.count }

    /// The memory that is held for this queue alone.
    var capacity: Int { own.capacity }

    /// How many bytes are kept for this queue alone, sent or not.
    var keptCount: Int { own.count }

    /// Lets `body` append. Shared bytes have to be copied then, because something else follows them.
    @inline(__always)
    mutating func append(_ body: (inout [UInt8]) -> Void) {
        if !shared.isEmpty {
            own.append(contentsOf: shared[sharedSent...])
            (shared, sharedSent) = ([], 0)
        }
        if own.isEmpty { own.reserveCapacity(Self.typicalWrite) }
        body(&own)
    }

    /// Appends bytes without copying them; false when there are shared ones already.
    mutating func share(_ bytes: [UInt8]) -> Bool {
        guard shared.isEmpty else { return false }
        (shared, sharedSent) = (bytes, 0)
        return true
    }

    /// Hands over what is to be sent next, and whether something else follows it.
    @inline(__always)
    func withNext<R>(_ body: (UnsafeRawBufferPointer, _ isMoreToCome: Bool) -> R) -> R {
        guard ownSent < own.count else {
            return unsafe shared.withUnsafeBytes { bytes in
                unsafe body(UnsafeRawBufferPointer(rebasing: bytes[sharedSent...]), false)
            }
        }
        return unsafe own.withUnsafeBytes { bytes in
            unsafe body(UnsafeRawBufferPointer(rebasing: bytes[ownSent...]), !shared.isEmpty)
        }
    }

    /// So many bytes of what was handed over last have been sent.
    mutating func sent(_ count: Int) {
        if ownSent < own.count { ownSent += count } else { sharedSent += count }
    }

    /// Nothing more can be sent for now: gives back what need not be kept.
    mutating func settle() {
        if unsentCount == 0 {
            // An idle connection keeps no buffer.
            drop()
        } else if ownSent == own.count {
            (own, ownSent) = ([], 0)
        } else if ownSent > max(slack, unsentCount) {
            // A peer that is always a little behind would have the queue keep everything it was ever sent.
            own.removeFirst(ownSent)
            ownSent = 0
        }
    }

    mutating func drop() {
        (own, ownSent) = ([], 0)
        if !shared.isEmpty { (shared, sharedSent) = ([], 0) }
    }
}
