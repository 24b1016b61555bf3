/// What became of providers' tokens, counted on one loop.
package struct ProviderTokenCounters: Sendable {
    /// What became of authorization codes.
    package enum Exchange: String, Sendable, CaseIterable {
        case succeeded, failed
    }

    /// What became of attempts to revoke a token.
    package enum Revocation: String, Sendable, CaseIterable {
        case revoked, postponed
        case givenUp = "given_up"
    }

    package internal(set) var exchanges: [Exchange: UInt64] = [:]
    package internal(set) var revocations: [Revocation: UInt64] = [:]
    /// In the queue, over all copies, when this one last looked. Only the loop that looks has these two.
    package internal(set) var waiting = 0
    package internal(set) var givenUp = 0

    /// The sum of two loops' counters.
    mutating func add(_ other: ProviderTokenCounters) {
        exchanges.merge(other.exchanges, uniquingKeysWith: +)
        revocations.merge(other.revocations, uniquingKeysWith: +)
        waiting += other.waiting
        givenUp += other.givenUp
    }

    mutating func count(_ result: Exchange) {
        exchanges[result, default: 0] += 1
    }

    mutating func count(_ result: Revocation) {
        revocations[result, default: 0] += 1
    }
}
