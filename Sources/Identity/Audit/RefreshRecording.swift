import Text

/// Which refreshes are put on record. An app refreshes every fifteen minutes, which is 96 events a day that say the same.
///
/// What is out of the ordinary is always recorded: a repeated refresh, a recovery, a reuse, a refusal.
package struct RefreshRecording {
    /// The raw values are those of the setting.
    package enum Rule: String, Sendable, CaseIterable {
        /// Every one.
        case each
        /// The first of a session on each day (UTC), and whenever the session comes from another address. The event has the number of
        /// those that were left out since the one before.
        case daily
        /// None.
        case none
    }

    private struct Seen {
        var day: Int64
        var address: String?
        var leftOut = 0
    }

    /// Sessions that are remembered, twice. One that is forgotten is recorded once more.
    static let capacity = 20_000

    private let rule: Rule
    private var young: [SessionID: Seen] = [:]
    private var old: [SessionID: Seen] = [:]

    init(_ rule: Rule) {
        self.rule = rule
    }

    /// The event as it is to be recorded; nil when it is left out.
    mutating func admitted(_ event: AuditEvent) -> AuditEvent? {
        guard event.kind.isOrdinaryUse, let session = event.sessionID else { return event }
        switch rule {
        case .each: return event
        case .none: return nil
        case .daily: return firstOfDay(event, session)
        }
    }

    private mutating func firstOfDay(_ event: AuditEvent, _ session: SessionID) -> AuditEvent? {
        let day = event.time.milliseconds / 86_400_000
        var seen = young[session] ?? old[session]
        defer { remember(session, seen) }
        if var known = seen, known.day == day, known.address == event.address {
            known.leftOut += 1
            seen = known
            return nil
        }
        let leftOut = seen?.leftOut ?? 0
        seen = Seen(day: day, address: event.address)
        guard leftOut > 0 else { return event }
        return event.adding("left_out", .integer(Int64(leftOut)))
    }

    private mutating func remember(_ session: SessionID, _ seen: Seen?) {
        if young.count >= Self.capacity, young[session] == nil {
            old = young
            young = [:]
        }
        young[session] = seen
    }
}
