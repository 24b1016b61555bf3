import Identity
import Postgres
import Text

/// Whether there is a master key, where it comes from, and whether it opens the signing keys in the database.
enum MasterKeyCheck {
    static let name = "master-key"
    static let signingKeys = "signing-keys"

    /// Permissions of its file are looked at when it is read.
    static func finding(of reading: ConfigurationReading) -> Finding {
        switch reading.shown["KIDOBAN_MASTER_KEY"]?.origin {
        case nil:
            Finding(
                name, .problem("make one with `(umask 077; openssl rand -hex 32 > FILE)` and set KIDOBAN_MASTER_KEY_FILE=FILE"),
                "KIDOBAN_MASTER_KEY is missing")
        case .file, .settingsFile: Finding(name, .ok, "read from a file that only its owner can read")
        case .environment, .standard:
            Finding(
                name, .advice("put it into a file and set KIDOBAN_MASTER_KEY_FILE"),
                "it is in the environment, which tools and crash reports like to show")
        }
    }

    static func finding(ofKeys result: Result<KeyRing, SigningKeyStore.Failure>) -> Finding {
        switch result {
        case .success(let ring) where ring.keyIDs.isEmpty: Finding(signingKeys, .ok, "none yet; the first start makes them")
        case .success(let ring): Finding(signingKeys, .ok, "the master key opens all \(ring.keyIDs.count)")
        case .failure(.unusable(let kid, _)):
            Finding(
                signingKeys,
                .problem(
                    "use the master key that this database was made with, the same on all copies, or set it as KIDOBAN_PREVIOUS_MASTER_KEY"
                ),
                "the signing key \(kid) does not open with this KIDOBAN_MASTER_KEY")
        case .failure(.store(.server(sqlState: "42P01", constraint: nil))):
            Finding(signingKeys, .skipped, "the database has no tables yet")
        case .failure(let error): Finding(signingKeys, .skipped, "\(StartError.signingKeys(error))")
        }
    }

    static let rotation = "master-key-rotation"

    /// What PostgreSQL says of master keys.
    struct Sealed: Sendable {
        let counts: [SealedCount]
        let uses: [MasterKeyUse]
        /// Whose sessions may live longer than the configured ones.
        let clients: [Client]
    }

    /// How far the replacing of the master key is, and so whether the previous one can be removed.
    static func finding(ofSealed sealed: Sealed?, _ configuration: Configuration, at now: Timestamp) -> Finding {
        guard let sealed, let key = configuration.secrets.acceptedMasterKeys else {
            return Finding(rotation, .skipped, "it takes a master key and the database")
        }
        let foreign = sealed.counts.filter { $0.key != key.id && $0.key != key.other?.id }
        guard foreign.isEmpty else {
            let ids = Set(foreign.map { $0.key?.description ?? "none" }).sorted().joined(separator: ", ")
            return Finding(
                rotation,
                .problem(
                    "set the key that has sealed them as KIDOBAN_PREVIOUS_MASTER_KEY until `kidoban keys reseal` is through"),
                "sealed with a master key that is not set here (\(ids)): \(words(foreign))")
        }
        let current = sealed.uses.filter(\.isCurrent)
        guard !current.contains(where: { $0.refuses(key.id) }) else {
            return Finding(
                rotation, .problem("give every copy both keys before any copy seals with the new one"),
                "a copy runs, or did three minutes ago, that does not accept the master key \(key.id)")
        }
        guard let other = key.other else { return Finding(rotation, .ok, "one master key, \(key.id), has sealed everything") }
        return finding(replacing: other, with: key, sealed, current, longest(configuration, sealed.clients), now)
    }

    private static func finding(
        replacing other: MasterKey, with key: MasterKey, _ sealed: Sealed, _ current: [MasterKeyUse], _ longest: Duration,
        _ now: Timestamp
    ) -> Finding {
        guard !current.contains(where: { $0.seals == other.id.description }) else {
            return Finding(
                rotation, .advice("restart those copies with the new key as KIDOBAN_MASTER_KEY, when every copy has both"),
                "a copy still seals with \(other.id)")
        }
        let left = sealed.counts.filter { $0.key == other.id }
        guard left.isEmpty else {
            return Finding(
                rotation, .advice("run `kidoban keys reseal`, or let the servers do it"),
                "still sealed with the previous master key \(other.id): \(words(left))")
        }
        guard let last = sealed.uses.filter({ $0.seals == other.id.description }).map(\.lastSeen).max() else {
            return Finding(rotation, .ok, "\(other.id) is accepted as well, and has sealed nothing yet")
        }
        let end = last.adding(longest)
        guard end <= now else {
            return Finding(
                rotation,
                .advice("keep KIDOBAN_PREVIOUS_MASTER_KEY until then: without it, sessions not used since have to sign in again"),
                "nothing is sealed with \(other.id) any more; session tokens made with it live until \(end.brief) at the latest")
        }
        return Finding(
            rotation, .advice("remove KIDOBAN_PREVIOUS_MASTER_KEY"), "nothing is left that was sealed or made with \(other.id)")
    }

    private static func words(_ counts: [SealedCount]) -> String {
        counts.map { "\($0.count) \($0.column)" }.joined(separator: ", ")
    }

    /// How long a session lives at most, whoever's it is.
    private static func longest(_ configuration: Configuration, _ clients: [Client]) -> Duration {
        let configured = [
            configuration.sessions.absoluteLifetime, configuration.cookies.absoluteLifetime,
            configuration.cookies.rememberedLifetime,
        ]
        return (configured + clients.map(\.sessionLifetime.absolute)).reduce(.zero, max)
    }
}
