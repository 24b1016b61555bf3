import Foundation

/// Which tokens have ended before they expired, as far as the feed has told.
///
/// The list is complete from a moment on: whatever ended later is in it. A token that was issued after that moment and is not in the list
/// is good, and of an older one the list cannot tell.
struct RevocationList: Sendable {
    enum Target: Hashable, Sendable {
        case token(String)
        case session(String)
        /// Every token that a client got in its own name before the event.
        case client(String)
    }

    private struct Entry: Sendable {
        let target: Target
        let at: Date
    }

    private var ends: [Target: Date] = [:]
    /// In the order in which they came; `head` is the first that still counts.
    private var order: [Entry] = []
    private var head = 0
    private let most: Int
    private let retention: TimeInterval
    private(set) var completeSince: Date?
    /// Changes when something may be missing that was not missing before.
    private(set) var generation: UInt64 = 0

    /// - Parameter retention: no token lives longer, so that older entries say nothing any more.
    init(most: Int, retention: TimeInterval) {
        self.most = max(1, most)
        self.retention = retention
    }

    var count: Int { ends.count }

    mutating func insert(_ target: Target, at time: Date) {
        ends[target] = max(time, ends[target] ?? time)
        order.append(Entry(target: target, at: time))
        while head < order.count, order.count - head > most || order[head].at.addingTimeInterval(retention) < time {
            let entry = order[head]
            head += 1
            if ends[entry.target] == entry.at { ends[entry.target] = nil }
            guard entry.at.addingTimeInterval(retention) >= time else { continue }
            // There was no room for it: the list can no longer tell of tokens that are older.
            beginAnew(at: entry.at)
        }
        if head > 1024, head > order.count / 2 {
            order.removeFirst(head)
            head = 0
        }
    }

    /// Whatever ends from `time` on will be in the list, and perhaps nothing before.
    mutating func beginAnew(at time: Date) {
        completeSince = max(time, completeSince ?? time)
        generation += 1
    }

    func holds(_ token: VerifiedToken) -> Bool {
        if ends[.token(token.id)] != nil { return true }
        if let session = token.session, ends[.session(session)] != nil { return true }
        // Times in tokens are whole seconds: in doubt a token of the same second is taken for older.
        if token.session == nil, let end = ends[.client(token.clientID)], token.issuedAt <= end { return true }
        return false
    }

    func isComplete(for token: VerifiedToken) -> Bool {
        completeSince.map { token.issuedAt >= $0 } ?? false
    }
}
