import JOSE
package import Logging
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
        /// Why the last fetch has brought none.
        var failure: KeySetFetchFailure?
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
    /// When a client may ask again whose server is away.
    private static let pause = Duration.seconds(5)

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let client: HTTPSClient
    private let logger: Logger
    private var remembered: [Source: Remembered] = [:]
    private var fetches: [Source: Task<Result<FetchedKeySet, KeySetFetchFailure>, Never>] = [:]

    package init(client: HTTPSClient, loop: EventLoop, logger: Logger) {
        self.client = client
        self.loop = loop
        self.logger = logger
    }

    /// - Parameter keyID: the one that is looked for; nil when none is named.
    /// - Throws: `IdentityError.invalidClient` when there are none that can be used; `unavailable` when the one that is looked for is not among those of
    ///   before, and the server of an operator's client is away or was asked too often to be asked again.
    func keys(of owner: Client, needing keyID: String?) async throws(IdentityError) -> JWKSet {
        switch owner.keys {
        case nil: throw .invalidClient
        case .set(let keys)?: return keys
        case .url(let url)?:
            let source = Source(url: url, isPublic: owner.registration != .byOperator)
            var found = remembered[source]
            if let found, loop.now < found.endsAt, let keys = found.keys, Self.has(keys, keyID) { return keys }
            let wait = found.flatMap { self.wait(for: source, $0) }
            if wait == nil { found = await fetch(source, for: owner.id) }
            if let keys = found?.keys, Self.has(keys, keyID) { return keys }
            // Nobody can tell of a new key who has not looked. Where a client that has registered itself leads us to is its own concern.
            if found?.failure?.mayPass ?? (wait != nil), !source.isPublic {
                throw .unavailable(retryAfter: wait ?? Self.pause)
            }
            guard let keys = found?.keys else { throw .invalidClient }
            return keys
        }
    }

    private static func has(_ keys: JWKSet, _ keyID: String?) -> Bool {
        keyID.map { keys.key(withID: $0) != nil } ?? true
    }

    /// How long it takes until one more look-up may begin; nil if it may now, or one is under way.
    private func wait(for source: Source, _ found: Remembered) -> Duration? {
        if fetches[source] != nil { return nil }
        switch Self.refetches.decision(arrival: found.arrival, at: Int64(loop.now.nanoseconds / 1000)) {
        case .allowed(let arrival, _, _):
            remembered[source]?.arrival = arrival
            return nil
        case .refused(let wait): return .microseconds(wait)
        }
    }

    /// The keys as they are now or, while they cannot be fetched, as they were.
    private func fetch(_ source: Source, for owner: ClientID) async -> Remembered {
        let running =
            fetches[source]
            ?? Task(executorPreference: loop) { [client] in
                do throws(KeySetFetchFailure) {
                    return .success(
                        try await FetchedKeySet.fetch(source.url, with: client, publicly: source.isPublic, namedOnly: false))
                } catch {
                    return .failure(error)
                }
            }
        fetches[source] = running
        let result = await running.value
        let before = remembered[source]
        let outcome: Remembered
        switch result {
        case .success(let fetched):
            let life = min(max(fetched.freshness ?? Self.standardLife, Self.minimumLife), Self.maximumLife)
            outcome = Remembered(keys: fetched.keys, arrival: before?.arrival, endsAt: loop.now + life)
        case .failure(let failure):
            outcome = Remembered(
                keys: before?.keys, failure: failure, arrival: before?.arrival, endsAt: before?.endsAt ?? loop.now)
        }
        // Whoever has waited with others finds it done.
        guard fetches.removeValue(forKey: source) != nil else { return outcome }
        if case .failure(let failure) = result {
            logger.warning(
                "the keys of a client are not there", ["client": .string(owner.text), "error": .string("\(failure)")])
        }
        if remembered.count >= Self.limit, before == nil { remembered = [:] }
        remembered[source] = outcome
        return outcome
    }
}

extension KeySetFetchFailure {
    /// Whether it may be over by itself: what is wrong in the set, or with the URL, is not.
    fileprivate var mayPass: Bool {
        switch self {
        case .notAnswered(.timedOut), .notAnswered(.connection), .notAnswered(.overloaded): true
        case .status(let status): status >= 500 || status == 429
        case .notAnswered, .invalid, .empty: false
        }
    }
}
