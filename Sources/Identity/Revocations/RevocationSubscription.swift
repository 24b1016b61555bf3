import Redis

/// Where a listener's bytes go.
package protocol RevocationSink: AnyObject, Sendable {
    /// - Returns: false when the listener has fallen too far behind, or is gone.
    func send(_ text: [UInt8]) -> Bool
    /// Whether the listener has taken nothing since this was asked last, although there was something.
    var isStuck: Bool { get }
    /// Waits until the listener has taken everything.
    /// - Returns: false when it is gone.
    func drained() async -> Bool
    /// Ends the listener's connection.
    func cut()
}

/// One listener. Confined to its loop.
package final class RevocationSubscription: @unchecked Sendable {  // every member is touched on the feed's loop only
    private enum Phase {
        /// It reads what was before it came; what comes meanwhile waits.
        case catchesUp(waiting: [RevocationEvent], isOverflown: Bool)
        case live
        case over
    }

    /// How much may wait while it catches up. Beyond it the stream is read once more.
    private static let waitingLimit = 1000

    let entry: ClientRegistry.Entry
    private let sink: any RevocationSink
    private var phase = Phase.catchesUp(waiting: [], isOverflown: false)

    init(_ entry: ClientRegistry.Entry, _ sink: any RevocationSink) {
        self.entry = entry
        self.sink = sink
    }

    var isOver: Bool {
        if case .over = phase { true } else { false }
    }

    /// Something has ended.
    func take(_ event: RevocationEvent) {
        switch phase {
        case .live: tell(event)
        case .catchesUp(var waiting, let isOverflown):
            let hasRoom = waiting.count < Self.waitingLimit
            if hasRoom { waiting.append(event) }
            phase = .catchesUp(waiting: waiting, isOverflown: isOverflown || !hasRoom)
        case .over: break
        }
    }

    func tell(_ event: RevocationEvent) {
        if event.isVisible(to: entry.visibleAudiences) { send(event.text) }
    }

    func send(_ text: [UInt8]) {
        guard !isOver, !sink.send(text) else { return }
        cut()
    }

    /// A sign of life; who does not take the one before is cut off.
    func beat() {
        if sink.isStuck { cut() } else { send(RevocationEvent.heartbeat) }
    }

    func drained() async -> Bool {
        await sink.drained() && !isOver
    }

    /// It has heard everything up to an entry.
    /// - Returns: false when more has come than could wait.
    func hasCaughtUp(with last: RedisStreamID) -> Bool {
        guard case .catchesUp(let waiting, let isOverflown) = phase else { return true }
        if isOverflown {
            phase = .catchesUp(waiting: [], isOverflown: false)
            return false
        }
        phase = .live
        for event in waiting where event.id > last { tell(event) }
        return true
    }

    /// From now on it hears everything, and what was before is past telling.
    func reset(_ position: RedisStreamID) {
        guard !isOver else { return }
        phase = .live
        send(RevocationEvent.reset(position))
    }

    func cut() {
        guard !isOver else { return }
        phase = .over
        sink.cut()
    }

    /// The connection is over.
    func leave() {
        phase = .over
    }
}
