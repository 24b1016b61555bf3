package import Networking

/// A loop's view of the key sets of other providers. A known key, and one that is known not to be there, is told at once, without a
/// lock and without another loop; anything else is the keeper's to find out.
package actor KeySets {
    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let keeper: KeySetKeeper
    private var cachedSets: [ProviderID: CachedKeySet] = [:]

    package init(_ keeper: KeySetKeeper, loop: EventLoop) {
        self.keeper = keeper
        self.loop = loop
    }

    /// The key of that name. It may take as long as the keeper's patience, when a key is asked for that nobody knows.
    package func key(_ keyID: String, of provider: ProviderID) async -> KeySetLookup {
        if let answer = cachedSets[provider]?.answer(keyID, at: loop.now) { return answer }
        let start = loop.now
        defer { WaitTimes.add(.outbound, from: start, to: loop.now) }
        return await keeper.key(keyID, of: provider)
    }

    /// What the keeper has found out. Two fetches may overtake each other on their way here.
    func take(_ cached: CachedKeySet, of provider: ProviderID) {
        guard cachedSets[provider].map({ $0.version < cached.version }) ?? true else { return }
        cachedSets[provider] = cached
    }
}
