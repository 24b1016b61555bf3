import Crypto
package import Logging
package import Networking
package import Postgres
package import Text

/// A loop's memory of clients, so that authenticating one takes no round trip and goes on while PostgreSQL is away.
///
/// A disabled client counts as unknown.
///
/// A record is used for its lifetime and no longer. After half of it, a request has it looked up again in the background, so
/// that a client in use never waits. While PostgreSQL does not answer, a record is used on.
package actor ClientRegistry {
    private struct Remembered {
        /// Nil for an id that is known not to exist.
        var entry: Entry?
        /// From here on it is looked up again in the background.
        var renewsAt: Instant
        /// From here on it is not used before it has been looked up again.
        var endsAt: Instant
    }

    private typealias LookUp = Task<Result<Entry?, PostgresError>, Never>

    /// A look-up under way. One that has been replaced by a later one may have seen an older record, and is not remembered.
    private struct Running {
        let number: Int
        let lookUp: LookUp
    }

    /// A look-up because of a secret that its client's record did not know.
    private struct SecondLook {
        let beganAt: Instant
        let running: Running
    }

    private struct Recognised {
        let entry: Entry
        /// From here on it is not recognised any more; nil for as long as the record is used.
        let endsAt: Instant?
    }

    /// Ids that may be remembered as unknown, so that guessing fills no memory.
    private static let unknownLimit = 1000
    /// Credentials that may be remembered: a few for each client and look-up.
    private static let recognisedLimit = 1000
    /// How soon after a look-up because of an unknown secret another one follows: wrong secrets are no load for PostgreSQL.
    private static let secondLookPause: Duration = .seconds(1)
    /// How often uses of an old secret are put on record.
    private static let oldSecretPeriod: Duration = .seconds(2)
    /// How long a record is used on after a look-up has failed: a server that hangs then costs one request a wait, not every one.
    private static let outageLifetime: Duration = .seconds(10)

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let store: ClientStore
    /// How old a record may be before it is looked up again.
    private(set) var lifetime: Duration
    private let logger: Logger
    private let strangers: GCRA
    private let builtIn: [String: Entry]
    private var remembered: [String: Remembered] = [:]
    private var unknownCount = 0
    private var recognised: [CredentialDigest: Recognised] = [:]
    /// Those under way.
    private var lookUps: [ClientID: Running] = [:]
    private var lookUpCount = 0
    /// The last of each client that there is.
    private var secondLooks: [ClientID: SecondLook] = [:]
    /// How often the secret before the present one has proved each client, since that was last put on record.
    private var oldSecretUses: [ClientID: Int] = [:]
    /// Of the bucket of strangers.
    private var strangersArrival: Int64?

    /// - Parameters:
    ///   - builtIn: the clients that are there without a record, such as the team's own app.
    ///   - lifetime: how old a record may be before it is looked up again.
    ///   - strangers: how often ids may be looked up of which no record is known: made-up ones are no load for PostgreSQL either.
    package init(
        store: ClientStore, builtIn: [Client], lifetime: Duration, strangers: Budget = Budget(100, per: .seconds(1)),
        loop: EventLoop,
        logger: Logger
    ) {
        self.store = store
        self.builtIn = Dictionary(builtIn.map { ($0.id.text, Entry($0, readAt: loop.now)) }) { first, _ in first }
        self.lifetime = lifetime
        self.strangers = GCRA(strangers)
        self.loop = loop
        self.logger = logger
    }

    /// The client of an id, by a look-up if it is not remembered.
    /// - Throws: `IdentityError.invalidClient` when there is none; `unavailable` when that cannot be told; `tooManyRequests` when too
    ///   many ids are asked for that nobody knows.
    package func client(_ id: String) async throws(IdentityError) -> Entry {
        if let entry = builtIn[id] { return entry }
        if let known = remembered[id], loop.now < known.endsAt {
            if known.renewsAt <= loop.now { renew(id) }
            guard let entry = known.entry else { throw .invalidClient }
            return entry
        }
        guard let clientID = ClientID(id) else { throw .invalidClient }
        if remembered[id]?.entry == nil, lookUps[clientID] == nil { try admitStranger() }
        switch await lookUp(clientID).value {
        case .success(let entry?): return entry
        case .success(nil): throw .invalidClient
        case .failure(let error):
            guard let entry = remembered[id]?.entry else { throw IdentityError(postgres: error) }
            return entry
        }
    }

    /// The client of an id if it is remembered; nil if it would have to be looked up, and for none.
    func known(_ id: ClientID) -> Client? {
        if let entry = builtIn[id.text] { return entry.client }
        guard let known = remembered[id.text], loop.now < known.endsAt else { return nil }
        return known.entry?.client
    }

    /// The client of an id as PostgreSQL has it now, whatever is remembered: for what must end at once with the client.
    /// - Throws: as `client(_:)`.
    package func present(_ id: ClientID) async throws(IdentityError) -> Entry {
        if let entry = builtIn[id.text] { return entry }
        if remembered[id.text]?.entry == nil, lookUps[id] == nil { try admitStranger() }
        switch await beginLookUp(id).lookUp.value {
        case .success(let entry?): return entry
        case .success(nil): throw .invalidClient
        case .failure(let error): throw IdentityError(postgres: error)
        }
    }

    /// The client that has proved itself with its secret (RFC 6749 §2.3.1), the present one or the one before while it is good.
    ///
    /// A secret that the remembered record does not know may be one that was made since. So the client is looked up again for it, once
    /// in a while, and whoever comes meanwhile gets what was found.
    /// - Parameter digest: of the credentials as sent: by it the client is recognised when the very same ones come again.
    /// - Throws: `IdentityError.invalidClient`; `unavailable` when that cannot be told; `tooManyRequests`.
    package func authenticate(
        _ id: String, secret: SecretString, as digest: CredentialDigest? = nil
    ) async throws(IdentityError) -> Entry {
        let known = try await client(id)
        if let entry = accept(secret, of: known, digest) { return entry }
        guard case .secret = known.client.authentication, let newer = try await secondLook(known.client.id),
            let entry = accept(secret, of: newer, digest)
        else { throw .invalidClient }
        return entry
    }

    private func accept(_ secret: SecretString, of entry: Entry, _ digest: CredentialDigest?) -> Entry? {
        switch entry.verdict(on: secret, at: loop.now) {
        case .nothing: return nil
        case .client(let end):
            if end != nil { countOldSecret(of: entry) }
            if let digest {
                if recognised.count >= Self.recognisedLimit { recognised = [:] }
                recognised[digest] = Recognised(entry: entry, endsAt: end)
            }
            return entry
        }
    }

    /// Whether there is a client of this id, as far as is remembered.
    package func knows(_ id: String) -> Bool {
        builtIn[id] != nil || remembered[id]?.entry != nil
    }

    /// The client that has proved itself with the very same credentials before, as long as its record is the one it was then.
    package func recognise(_ digest: CredentialDigest) -> Entry? {
        guard let found = recognised[digest], let known = remembered[found.entry.client.id.text], known.entry === found.entry,
            loop.now < known.endsAt
        else { return nil }
        if let end = found.endsAt {
            if end <= loop.now { return nil }
            countOldSecret(of: found.entry)
        }
        if known.renewsAt <= loop.now { renew(found.entry.client.id.text) }
        return found.entry
    }

    /// Counts here, and puts on record for all copies once in a while.
    private func countOldSecret(of entry: Entry) {
        let id = entry.client.id
        oldSecretUses[id, default: 0] += 1
        guard oldSecretUses[id] == 1, let secret = entry.client.previousSecret else { return }
        Task(executorPreference: loop) { await self.recordOldSecret(secret, of: id) }
    }

    private func recordOldSecret(_ secret: PreviousSecret, of id: ClientID) async {
        await loop.sleep(for: Self.oldSecretPeriod)
        guard let uses = oldSecretUses.removeValue(forKey: id) else { return }
        // What cannot be put on record is only missing from what `kidoban client list` says.
        try? await store.noteUses(uses, of: secret, by: id)
    }

    /// Remembers all clients, so that none needs to be looked up by the first who asks.
    /// - Throws: `PostgresError`.
    package func warmUp() async throws(PostgresError) {
        let began = loop.now
        for client in try await store.all() where !client.isDisabled {
            remember(Entry(client, readAt: began), as: client.id.text)
        }
    }

    /// From now on uses no record before it has been looked up again, as if all had come to the end of their lives. While PostgreSQL does not
    /// answer they are used on.
    package func renewAll(lifetime: Duration) {
        self.lifetime = lifetime
        renewAll()
    }

    func renewAll() {
        lookUps = [:]
        secondLooks = [:]
        for id in remembered.keys { endLife(id) }
    }

    /// As `renewAll`, for some.
    func renew(_ ids: [String]) {
        for id in ids {
            // One under way may have seen the record as it was.
            if let clientID = ClientID(id) {
                lookUps[clientID] = nil
                secondLooks[clientID] = nil
            }
            endLife(id)
        }
    }

    private func endLife(_ id: String) {
        remembered[id]?.renewsAt = loop.now
        remembered[id]?.endsAt = loop.now
    }

    private func remember(_ entry: Entry?, as id: String) {
        if let known = remembered[id], known.entry == nil { unknownCount -= 1 }
        if entry == nil {
            if unknownCount >= Self.unknownLimit { forgetUnknown() }
            unknownCount += 1
        }
        remembered[id] = Remembered(entry: entry, renewsAt: loop.now + lifetime / 2, endsAt: loop.now + lifetime)
    }

    private func forgetUnknown() {
        remembered = remembered.filter { $0.value.entry != nil }
        unknownCount = 0
    }

    /// Looks a client up again without making anybody wait.
    private func renew(_ id: String) {
        guard let clientID = ClientID(id) else { return }
        _ = lookUp(clientID)
    }

    /// The look-up that is under way, or a new one.
    private func lookUp(_ id: ClientID) -> LookUp {
        lookUps[id]?.lookUp ?? beginLookUp(id).lookUp
    }

    /// A new one, which takes the place of one that is under way.
    private func beginLookUp(_ id: ClientID) -> Running {
        lookUpCount += 1
        let number = lookUpCount
        let new = LookUp(executorPreference: loop) { await self.ask(id, number) }
        let running = Running(number: number, lookUp: new)
        lookUps[id] = running
        return running
    }

    private func ask(_ id: ClientID, _ number: Int) async -> Result<Entry?, PostgresError> {
        let began = loop.now
        do throws(PostgresError) {
            let entry = try await store.client(id).flatMap { $0.isDisabled ? nil : Entry($0, readAt: began) }
            if isLast(number, of: id) { remember(entry, as: id.text) }
            return .success(entry)
        } catch {
            logger.warning("client not looked up", ["client_id": .string(id.text), "error": "\(error)"])
            if isLast(number, of: id) { useOn(id.text) }
            return .failure(error)
        }
    }

    /// Whether no other look-up has begun since; the look-up is over then.
    private func isLast(_ number: Int, of id: ClientID) -> Bool {
        guard lookUps[id]?.number == number else { return false }
        lookUps[id] = nil
        return true
    }

    /// The client as it is now, or was within the last moment.
    /// - Throws: `unavailable` when PostgreSQL is: the secret may be a new one.
    private func secondLook(_ id: ClientID) async throws(IdentityError) -> Entry? {
        let running: Running
        if let last = secondLooks[id],
            loop.now < last.beganAt + Self.secondLookPause || lookUps[id]?.number == last.running.number
        {
            running = last.running
        } else {
            running = beginLookUp(id)
            secondLooks[id] = SecondLook(beganAt: loop.now, running: running)
        }
        switch await running.lookUp.value {
        case .success(nil):
            secondLooks[id] = nil
            return nil
        case .success(let found?): return remembered[id.text]?.entry ?? found
        case .failure(let error): throw IdentityError(postgres: error)
        }
    }

    /// - Throws: `tooManyRequests`.
    private func admitStranger() throws(IdentityError) {
        switch strangers.decision(arrival: strangersArrival, at: Int64(loop.now.nanoseconds / 1000)) {
        case .allowed(let arrival, _, _): strangersArrival = arrival
        case .refused(let wait): throw .tooManyRequests(retryAfter: .microseconds(wait))
        }
    }

    /// Keeps a client for as long as it cannot be looked up; that an id is unknown cannot be said any more.
    private func useOn(_ id: String) {
        guard remembered[id]?.entry != nil else {
            if remembered.removeValue(forKey: id) != nil { unknownCount -= 1 }
            return
        }
        remembered[id]?.renewsAt = loop.now + lifetime / 2
        remembered[id]?.endsAt = loop.now + max(lifetime, Self.outageLifetime)
    }
}
