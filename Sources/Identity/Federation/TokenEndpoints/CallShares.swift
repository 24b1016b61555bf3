/// How many questions to a provider each client has under way, so that made-up tokens of one do not keep all threads busy. A pure value.
package struct CallShares: Sendable {
    private let limit: Int
    private var counts: [String: Int] = [:]

    /// - Parameter limit: for each client at once.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Counts one more; false when the client has as many as it may.
    package mutating func begin(_ client: String) -> Bool {
        guard counts[client, default: 0] < limit else { return false }
        counts[client, default: 0] += 1
        return true
    }

    package mutating func end(_ client: String) {
        guard let count = counts[client] else { return }
        counts[client] = count > 1 ? count - 1 : nil
    }

    /// Clients with something under way.
    package var clientCount: Int { counts.count }
}
