import Crypto
package import Logging
package import Networking
package import Postgres
package import Text

/// A loop's memory of clients, so that authenticating one takes no round trip and goes on while PostgreSQL is away.
///
/// A record is used for its lifetime and no longer. From the half of it on, whoever asks has it looked up again behind his back, so
/// that a client in use never waits. While PostgreSQL does not answer, a record is used on.
package actor ClientRegistry {
    /// A client with what is derived from it once.
    package final class Entry: Sendable {
        package let client: Client
        /// How the records of its audiences begin; nil when it may see those of every audience.
        let recordPrefixes: [[UInt8]]?

        init(_ client: Client) {
            self.client = client
            recordPrefixes =
                client.audiences.contains(Client.anyAudience)
                ? nil : client.audiences.map { IntrospectionRecord.prefix(audience: $0) }
        }
    }

    private struct Remembered {
        /// Nil for an id that is known not to exist.
        var entry: Entry?
        /// From here on it is looked up again in the background.
        var renewsAt: Instant
        /// From here on it is not used before it has been looked up again.
        var endsAt: Instant
    }

    private typealias LookUp = Task<Result<Entry?, PostgresError>, Never>

    /// Ids that may be remembered as unknown, so that guessing fills no memory.
    private static let unknownLimit = 1000
    /// Credentials that may be remembered: a few for each client and look-up.
    private static let proofLimit = 1000
    /// How long a record is used on after a look-up has failed: a server that hangs then costs one request a wait, not every one.
    private static let outageLifetime: Duration = .seconds(10)

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let store: ClientStore
    private var lifetime: Duration
    private let logger: Logger
    private let builtIn: [String: Entry]
    private var remembered: [String: Remembered] = [:]
    private var unknownCount = 0
    private var recognised: [CredentialProof: Entry] = [:]
    /// Those under way.
    private var lookUps: [ClientID: LookUp] = [:]
    /// How often all has been renewed: a look-up that began before may have seen an old record.
    private var renewals = 0

    /// - Parameters:
    ///   - builtIn: the clients that are there without a record, such as the team's own app.
    ///   - lifetime: how old a record may be before it is looked up again.
    package init(store: ClientStore, builtIn: [Client], lifetime: Duration, loop: EventLoop, logger: Logger) {
        self.store = store
        self.builtIn = Dictionary(builtIn.map { ($0.id.text, Entry($0)) }) { first, _ in first }
        self.lifetime = lifetime
        self.loop = loop
        self.logger = logger
    }

    /// The client of an id, by a look-up if it is not remembered.
    /// - Throws: `IdentityError.invalidClient` when there is none; `unavailable` when that cannot be told.
    package func client(_ id: String) async throws(IdentityError) -> Entry {
        if let entry = builtIn[id] { return entry }
        if let known = remembered[id], loop.now < known.endsAt {
            if known.renewsAt <= loop.now { renew(id) }
            guard let entry = known.entry else { throw .invalidClient }
            return entry
        }
        guard let clientID = ClientID(id) else { throw .invalidClient }
        switch await lookUp(clientID).value {
        case .success(let entry?): return entry
        case .success(nil): throw .invalidClient
        case .failure(let error):
            guard let entry = remembered[id]?.entry else { throw IdentityError(error) }
            return entry
        }
    }

    /// The client that has proved itself with its secret (RFC 6749 §2.3.1).
    /// - Throws: `IdentityError.invalidClient`; `unavailable` when that cannot be told.
    package func authenticate(_ id: String, secret: SecretString) async throws(IdentityError) -> Entry {
        let entry = try await client(id)
        guard case .secret(let digest) = entry.client.authentication, ClientSecret.matches(secret, digest: digest) else {
            throw .invalidClient
        }
        return entry
    }

    /// The client that has proved itself with the very same credentials before, as long as its record is the one it was then.
    package func recognise(_ proof: CredentialProof) -> Entry? {
        guard let entry = recognised[proof], let known = remembered[entry.client.id.text], known.entry === entry,
            loop.now < known.endsAt
        else { return nil }
        if known.renewsAt <= loop.now { renew(entry.client.id.text) }
        return entry
    }

    /// Remembers with what a client has just proved itself.
    package func remember(_ proof: CredentialProof, of entry: Entry) {
        if recognised.count >= Self.proofLimit { recognised = [:] }
        recognised[proof] = entry
    }

    /// Remembers all clients, so that none needs to be looked up by the first who asks.
    /// - Throws: `PostgresError`.
    package func warmUp() async throws(PostgresError) {
        for client in try await store.all() { remember(Entry(client), as: client.id.text) }
    }

    /// From now on uses no record before it has been looked up again, as if all had come to the end of their lives. While PostgreSQL does not
    /// answer they are used on.
    package func renewAll(lifetime: Duration) {
        self.lifetime = lifetime
        renewals += 1
        lookUps = [:]
        for id in remembered.keys {
            remembered[id]?.renewsAt = loop.now
            remembered[id]?.endsAt = loop.now
        }
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
        if let running = lookUps[id] { return running }
        let new = LookUp(executorPreference: loop) { await self.ask(id) }
        lookUps[id] = new
        return new
    }

    private func ask(_ id: ClientID) async -> Result<Entry?, PostgresError> {
        let began = renewals
        defer { if began == renewals { lookUps[id] = nil } }
        do throws(PostgresError) {
            let entry = try await store.client(id).map { Entry($0) }
            if began == renewals { remember(entry, as: id.text) }
            return .success(entry)
        } catch {
            logger.warning("client not looked up", ["client_id": .string(id.text), "error": "\(error)"])
            if began == renewals { useOn(id.text) }
            return .failure(error)
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
