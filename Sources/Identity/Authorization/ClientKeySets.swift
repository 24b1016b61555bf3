import JOSE
package import Networking
package import Outbound

/// The keys of clients that have said where they are (`jwks_uri`), one memory a loop: fetched when they are needed, used for a while, and fetched
/// anew for a key that is not among them: five times at once, then once in half a minute.
///
/// Where a client that has registered itself leads us to is its own choice: to public hosts only.
package actor ClientKeySets {
    /// What may be fetched for an operator's client may not be for every other one: they share no answer.
    private struct Source: Hashable {
        let url: String
        let isPublic: Bool
    }

    private struct Remembered {
        var keys: JWKSet?
        /// Of the bucket of `refetches`.
        var arrival: Int64?
        var endsAt: Instant
    }

    /// How often keys are asked for anew, whatever assertions name.
    private static let refetches = GCRA(Budget(5, per: .seconds(150)))
    private static let minimumLife = Duration.seconds(30)
    private static let standardLife = Duration.seconds(600)
    private static let maximumLife = Duration.seconds(86_400)
    private static let limit = 1000

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let client: HTTPSClient
    private var remembered: [Source: Remembered] = [:]
    private var fetches: [Source: Task<FetchedKeySet?, Never>] = [:]

    package init(client: HTTPSClient, loop: EventLoop) {
        self.client = client
        self.loop = loop
    }

    /// - Parameter keyID: the one that is looked for; nil when none is named.
    /// - Throws: `IdentityError.invalidClient` for a client that has none; `unavailable` while they cannot be fetched.
    func keys(of owner: Client, needing keyID: String?) async throws(IdentityError) -> JWKSet {
        switch owner.keys {
        case nil: throw .invalidClient
        case .set(let keys)?: return keys
        case .url(let url)?:
            let source = Source(url: url, isPublic: owner.registration != .byOperator)
            if let found = remembered[source] {
                let isKnown = found.keys.map { keys in keyID.map { keys.key(withID: $0) != nil } ?? true } ?? false
                if isKnown, loop.now < found.endsAt, let keys = found.keys { return keys }
                guard mayAsk(source, again: found) else {
                    guard let keys = found.keys else { throw .unavailable(retryAfter: Self.minimumLife) }
                    return keys
                }
            }
            guard let keys = await fetch(source) else { throw .unavailable(retryAfter: .seconds(1)) }
            return keys
        }
    }

    /// Whether there is a look-up under way to wait for, or one more may begin.
    private func mayAsk(_ source: Source, again found: Remembered) -> Bool {
        if fetches[source] != nil { return true }
        switch Self.refetches.decision(arrival: found.arrival, at: Int64(loop.now.nanoseconds / 1000)) {
        case .allowed(let arrival, _, _):
            remembered[source]?.arrival = arrival
            return true
        case .refused: return false
        }
    }

    /// The keys as they are now or, while they cannot be fetched, as they were.
    private func fetch(_ source: Source) async -> JWKSet? {
        let running =
            fetches[source]
            ?? Task(executorPreference: loop) { [client] in
                try? await FetchedKeySet.fetch(source.url, with: client, publicly: source.isPublic)
            }
        fetches[source] = running
        let fetched = await running.value
        // Whoever has waited with others finds it done.
        guard fetches.removeValue(forKey: source) != nil else { return fetched?.keys ?? remembered[source]?.keys }
        if remembered.count >= Self.limit, remembered[source] == nil { remembered = [:] }
        let life = min(max(fetched?.freshness ?? Self.standardLife, Self.minimumLife), Self.maximumLife)
        let before = remembered[source]
        remembered[source] = Remembered(
            keys: fetched?.keys ?? before?.keys, arrival: before?.arrival,
            endsAt: fetched == nil ? before?.endsAt ?? loop.now : loop.now + life)
        return remembered[source]?.keys
    }
}
