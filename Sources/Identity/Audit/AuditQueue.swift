import Text

/// Audit events that wait to be written, up to a bound. Beyond it the oldest give way.
struct AuditQueue {
    private let capacity: Int
    private var events: [AuditEvent] = []
    /// How many at the front have given way. They are removed in bulk, so that a full queue takes an event as fast as an empty one.
    private var gone = 0

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { events.count - gone }

    var isEmpty: Bool { count == 0 }

    /// Returns the event that gave way to this one, if one had to.
    mutating func append(_ event: AuditEvent) -> AuditEvent? {
        events.append(event)
        guard count > capacity else { return nil }
        let oldest = events[gone]
        gone += 1
        if gone >= capacity { removeGone() }
        return oldest
    }

    /// The oldest events, at most so many.
    func prefix(_ limit: Int) -> ArraySlice<AuditEvent> {
        events[gone...].prefix(limit)
    }

    /// Takes out those of the events that are still there.
    mutating func remove(_ written: ArraySlice<AuditEvent>) {
        let ids = Set(written.map(\.id))
        removeGone()
        events.removeAll { ids.contains($0.id) }
    }

    private mutating func removeGone() {
        events.removeFirst(gone)
        gone = 0
    }
}
