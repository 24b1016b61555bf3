import Synchronization

/// How many listeners there may be in a process. Behind a mutex, which is taken when a listener comes and when it goes.
package final class RevocationPlaces: Sendable {
    private let limit: Int
    private let taken = Mutex<[ClientID: Int]>([:])

    package init(limit: Int) {
        self.limit = limit
    }

    /// One client has half of the places at most.
    func take(_ client: ClientID) -> Bool {
        taken.withLock { taken in
            guard taken.values.reduce(0, +) < limit, taken[client, default: 0] < max(1, limit / 2) else { return false }
            taken[client, default: 0] += 1
            return true
        }
    }

    func give(_ client: ClientID) {
        taken.withLock { taken in
            let left = taken[client, default: 1] - 1
            taken[client] = left > 0 ? left : nil
        }
    }
}
