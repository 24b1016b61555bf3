import Foundation
import KidobanTransport

/// Good answers, for a short time and so many only. Bad ones are not remembered: there is no end to bad tokens.
final class AnswerCache: Sendable {
    private struct Entry: Sendable {
        let token: VerifiedToken
        let mark: RevocationFeed.Mark?
        let end: Date
        let number: UInt64
    }

    private struct Place: Sendable {
        let key: String
        let number: UInt64
    }

    private struct State: Sendable {
        var entries: [String: Entry] = [:]
        /// Oldest first, from `head` on; an entry that was replaced or dropped is still in it, under its old number.
        var order: [Place] = []
        var head = 0
        var lastNumber: UInt64 = 0
    }

    private let lifetime: TimeInterval
    private let most: Int
    private let state = Locked(State())

    init(lifetime: TimeInterval, entries: Int) {
        self.lifetime = lifetime
        most = max(1, entries)
    }

    func answer(to token: String, at now: Date) -> (VerifiedToken, RevocationFeed.Mark?)? {
        state.withLock { state in
            guard let entry = state.entries[token] else { return nil }
            guard entry.end > now, entry.end.timeIntervalSince(now) <= Self.longest else {
                // Over, or the clock was put back.
                state.entries[token] = nil
                return nil
            }
            return (entry.token, entry.mark)
        }
    }

    /// - Parameters:
    ///   - mark: what the feed had told when the question was asked.
    ///   - until: what the server said; then `lifetime` does not count.
    func remember(_ verified: VerifiedToken, _ token: String, _ mark: RevocationFeed.Mark?, until: Date?, at now: Date) {
        let end = min(until ?? now.addingTimeInterval(lifetime), verified.expiresAt, now.addingTimeInterval(Self.longest))
        guard end > now else { return }
        state.withLock { state in
            state.lastNumber += 1
            let number = state.lastNumber
            state.entries[token] = Entry(token: verified, mark: mark, end: end, number: number)
            state.order.append(Place(key: token, number: number))
            Self.trim(&state, to: most)
        }
    }

    func forget(_ token: String) {
        state.withLock { $0.entries[token] = nil }
    }

    var count: Int { state.withLock { $0.entries.count } }

    private static let longest: TimeInterval = 3600

    private static func trim(_ state: inout State, to most: Int) {
        while state.entries.count > most || state.order.count - state.head > 2 * most, state.head < state.order.count {
            let place = state.order[state.head]
            state.head += 1
            if state.entries[place.key]?.number == place.number { state.entries[place.key] = nil }
        }
        if state.head > most {
            state.order.removeFirst(state.head)
            state.head = 0
        }
    }
}
