/// What became of providers' tokens, counted on one loop.
package struct ProviderTokenCounters: Sendable {
    /// What became of authorization codes.
    package enum Exchange: String, Sendable, CaseIterable {
        case succeeded, failed
    }

    package internal(set) var exchanges: [Exchange: UInt64] = [:]

    /// The sum of two loops' counters.
    mutating func add(_ other: ProviderTokenCounters) {
        exchanges.merge(other.exchanges, uniquingKeysWith: +)
    }

    mutating func count(_ result: Exchange) {
        exchanges[result, default: 0] += 1
    }
}
