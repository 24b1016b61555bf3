import JOSE
package import Logging
package import Networking
package import Outbound

/// Keeps the key sets of other providers: fetches them before they expire, again after a failure, and when somebody names a key that
/// is not there. There is one for the process; it hands what it has to the `KeySets` of every loop.
package actor KeySetKeeper {
    /// One provider's set and who waits for it.
    struct Entry {
        let url: String
        /// Another one for each place that a set has been at.
        let edition: UInt64
        var schedule: KeySetSchedule
        var keys = JWKSet([])
        /// Grows with each fetch, also from one edition to the next.
        var version: UInt64
        var waiters: [KeySetWaiter] = []
        var report: KeySetReport
    }

    /// Who waits in all; more are told to come again.
    private static let waiterLimit = 1024
    /// The next fetch is looked for this often at least, because a failure may have brought it forward.
    private static let longestSleep: Duration = .seconds(15)

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let client: HTTPSClient
    let logger: Logger
    let random: @Sendable (Int) -> [UInt8]
    var entries: [ProviderID: Entry] = [:]
    var parts: [KeySets] = []
    var store: KeySetStore?
    private let policy: KeySetPolicy
    private var waiterCount = 0
    private var editions: UInt64 = 0
    private var isStarted = false
    private var isClosed = false

    /// - Parameters:
    ///   - urls: where the sets are.
    ///   - random: so many random bytes, to spread what copies do.
    package init(
        _ urls: [ProviderID: String], policy: KeySetPolicy = KeySetPolicy(), client: HTTPSClient, loop: EventLoop,
        logger: Logger, random: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.policy = policy
        self.client = client
        self.loop = loop
        self.logger = logger
        self.random = random
        let now = Instant.now()
        for (index, (provider, url)) in urls.enumerated() {
            entries[provider] = Entry(provider, url, edition: UInt64(index), KeySetSchedule(policy, at: now))
        }
        editions = UInt64(urls.count)
    }

    /// Begins to fetch, for these parts. Returns at once.
    /// - Parameter store: where sets outlive the process; nil for nowhere.
    package func start(_ parts: [KeySets], store: KeySetStore? = nil) {
        self.parts = parts
        self.store = store
        isStarted = true
        for (provider, entry) in entries { begin(provider, entry.edition) }
    }

    private func begin(_ provider: ProviderID, _ edition: UInt64) {
        loop.start { await self.recall(provider, edition) }
        loop.start { await self.keepFresh(provider, edition) }
    }

    /// Takes over where the sets are. One that has moved is fetched anew; until then the loops go on with the keys they have.
    package func adopt(_ urls: [ProviderID: String]) {
        for (provider, entry) in entries where urls[provider] != entry.url {
            endWaiting(provider)
            entries[provider] = nil
        }
        for (provider, url) in urls where entries[provider] == nil {
            let edition = editions
            editions += 1
            entries[provider] = Entry(provider, url, edition: edition, KeySetSchedule(policy, at: loop.now))
            if isStarted { begin(provider, edition) }
        }
    }

    /// Fetches nothing more. Who waits is told that nobody can say.
    package func close() {
        isClosed = true
        for provider in entries.keys { endWaiting(provider) }
    }

    /// The key of that name, with a fetch if it takes one and one may be made; at the latest when the patience is at its end.
    func key(_ keyID: String, of provider: ProviderID) async -> KeySetLookup {
        let askedAt = loop.now
        let deadline = askedAt + policy.patience
        while let entry = entries[provider] {
            if let answer = cached(entry).answer(keyID, at: loop.now) { return answer }
            guard !isClosed, loop.now < deadline, waiterCount < Self.waiterLimit else { break }
            switch entry.schedule.verdict(on: keyID, at: loop.now) {
            case .fetch:
                begin(provider, .unknownKey(keyID))
                await fetchEnds(provider, until: deadline)
                return answer(keyID, of: provider, since: askedAt)
            case .wait:
                // That fetch may have begun before the key was published, so the verdict is asked for again.
                await fetchEnds(provider, until: deadline)
            case .unknown, .unavailable: return answer(keyID, of: provider, since: askedAt)
            }
        }
        return answer(keyID, of: provider, since: askedAt)
    }

    /// What is known without another fetch: a key that is not in a set of this moment or later is unknown.
    private func answer(_ keyID: String, of provider: ProviderID, since moment: Instant) -> KeySetLookup {
        guard let entry = entries[provider] else { return .unknownKey }
        let cached = cached(entry)
        if let key = cached.key(keyID, at: loop.now) { return .key(key) }
        if entry.schedule.failures == 0, let fetchedAt = entry.schedule.fetchedAt, moment <= fetchedAt { return .unknownKey }
        return cached.answer(keyID, at: loop.now) ?? .unavailable(retryAfter: .seconds(1))
    }

    /// The counters, by provider.
    package var reports: [KeySetReport] {
        entries.values.map { entry in
            var report = entry.report
            report.keyCount = entry.schedule.isUsable(at: loop.now) ? entry.keys.keys.count : 0
            report.age = entry.schedule.age(at: loop.now)
            return report
        }.sorted { $0.provider.text < $1.provider.text }
    }

    func cached(_ entry: Entry) -> CachedKeySet {
        CachedKeySet(keys: entry.keys, version: entry.version, entry.schedule)
    }

    /// Fetches a set whenever it is time.
    private func keepFresh(_ provider: ProviderID, _ edition: UInt64) async {
        while !isClosed, let entry = entries[provider], entry.edition == edition {
            let schedule = entry.schedule
            if schedule.isFetching {
                await fetchEnds(provider, until: loop.now + Self.longestSleep)
            } else if schedule.isDue(at: loop.now) {
                begin(provider, .due)
            } else {
                await loop.sleep(for: min(schedule.dueAt.since(loop.now), Self.longestSleep))
            }
        }
    }

    private func begin(_ provider: ProviderID, _ reason: KeySetSchedule.Reason) {
        entries[provider]?.schedule.begin(reason, at: loop.now)
        loop.start { await self.fetch(provider) }
    }

    /// Waits until no fetch is under way, or until `deadline`.
    private func fetchEnds(_ provider: ProviderID, until deadline: Instant) async {
        waiterCount += 1
        await withUnsafeContinuation { continuation in
            guard entries[provider]?.schedule.isFetching == true else { return continuation.resume() }
            entries[provider]?.waiters.append(KeySetWaiter(continuation, until: deadline, loop: loop))
        }
        waiterCount -= 1
    }

    func endWaiting(_ provider: ProviderID) {
        let waiters = entries[provider]?.waiters ?? []
        entries[provider]?.waiters = []
        for waiter in waiters { waiter.end() }
    }
}

extension KeySetKeeper.Entry {
    fileprivate init(_ provider: ProviderID, _ url: String, edition: UInt64, _ schedule: KeySetSchedule) {
        self.init(
            url: url, edition: edition, schedule: schedule, version: edition << 32, report: KeySetReport(provider: provider))
    }
}

/// Somebody who waits for a fetch, until it ends or the time is over. Confined to the keeper's loop.
final class KeySetWaiter: @unchecked Sendable {  // every member is touched on the keeper's loop only
    private let loop: EventLoop
    private var continuation: UnsafeContinuation<Void, Never>?
    private var timer: LoopTimer?

    init(_ continuation: UnsafeContinuation<Void, Never>, until deadline: Instant, loop: EventLoop) {
        self.loop = loop
        self.continuation = continuation
        timer = loop.schedule(at: deadline) { self.end() }
    }

    /// Lets it go on; a second time does nothing.
    func end() {
        if let timer { loop.cancel(timer) }
        timer = nil
        continuation?.resume()
        continuation = nil
    }
}
