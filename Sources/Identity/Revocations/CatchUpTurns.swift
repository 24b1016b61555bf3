import Networking

/// Whose turn it is to read a page of what was missed: two listeners of a loop at once, one of each client while others have
/// missed something, too. So many that come back together fill no memory and keep no request waiting. A pure value.
struct CatchUpTurns<Reader: Sendable>: Sendable {
    private static var limit: Int { 2 }

    /// Bounded by the places that there are for listeners.
    private var waiting = FairQueue<Reader>(JobOwner.Bounds(all: .max), threads: Self.limit)
    private var count = 0

    mutating func wait(_ reader: Reader, of client: String, at now: Instant) {
        _ = waiting.add(reader, for: JobOwner(network: client, address: ""), at: now)
    }

    /// Who is to read now, until `ended`.
    mutating func next(at now: Instant) -> (reader: Reader, client: String)? {
        guard count < Self.limit, let (reader, client) = waiting.next(at: now) else { return nil }
        count += 1
        return (reader, client)
    }

    /// A listener of a client has read a page, or is gone.
    mutating func ended(_ client: String) {
        count -= 1
        waiting.ended(client)
    }
}
