package import Crypto
package import Networking
import Text

/// Hashes and checks passwords with argon2id, and checks them against hashes of other systems that users have brought along, on the threads
/// of a pool, never on a loop.
package struct PasswordHasher: Sendable {
    private let pool: BlockingPool
    private let algorithm: Argon2id
    /// A hash that no password has, made with the same parameters as real ones: what an unknown user is checked against, so
    /// that it takes as long as a known one.
    private let decoy: String
    /// Whether a check takes as long for users with hashes of other systems as for others.
    let hidesImported: Bool
    /// What hashes of other systems may cost.
    package let importedLimits: ForeignHash.Limits

    /// - Throws: `CryptoError` when the parameters are outside argon2's limits.
    package init(
        _ parameters: Argon2id.Parameters, hidesImported: Bool = true, importedLimits: ForeignHash.Limits = ForeignHash.Limits(),
        pool: BlockingPool, random: (Int) -> [UInt8]
    ) throws(CryptoError) {
        self.hidesImported = hidesImported
        self.importedLimits = importedLimits
        algorithm = try Argon2id(parameters: parameters)
        self.pool = pool
        decoy = algorithm.decoy(random: random)
    }

    /// The string to store.
    /// - Throws: `IdentityError.overloaded` when too many wait already.
    package func hash(_ password: Password, for owner: JobOwner) async throws(IdentityError) -> String {
        let algorithm = algorithm
        return try await run(owner) { () throws(CryptoError) in try algorithm.hash(password: password.secret.revealedBytes) }
    }

    /// What a password is to a stored hash.
    package enum Verdict: Sendable {
        case matches, differs
        /// The hash is of a kind, or of a cost, that is not checked here: no password is the right one.
        case unusableHash
    }

    /// Whether this is the password; with no stored hash, or one that cannot be used, it never is, after the same work.
    /// - Parameter imported: what users have brought along, for `PasswordCheck`; nil where nothing is to be hidden.
    /// - Throws: `IdentityError.overloaded`; `internalFault` when hashing fails.
    package func verify(
        _ password: Password, against stored: String?, imported: ImportedHashes? = nil, for owner: JobOwner
    ) async throws(IdentityError) -> Bool {
        try await verdict(on: password, against: stored, imported: imported, for: owner) == .matches
    }

    /// The same, told apart.
    package func verdict(
        on password: Password, against stored: String?, imported: ImportedHashes? = nil, for owner: JobOwner
    ) async throws(IdentityError) -> Verdict {
        let check = PasswordCheck(of: stored, imported: imported, decoy: decoy)
        let stranger = PasswordCheck(of: nil, imported: imported, decoy: decoy)
        let verdict = try await run(owner) { [algorithm, importedLimits] () throws(CryptoError) -> Verdict in
            let bytes = password.secret.revealedBytes
            do throws(CryptoError) {
                return try check.run(bytes, algorithm, importedLimits) ? .matches : .differs
            } catch {
                guard error == .malformedPasswordHash || error == .passwordParametersRefused else { throw error }
                // Nobody learns from the time that there is such an account.
                _ = try stranger.run(bytes, algorithm, importedLimits)
                return .unusableHash
            }
        }
        if verdict == .unusableHash {
            WaitTimes.note(
                fault: "the stored password hash is of another program or too dear: nobody can sign in with it until a reset")
        }
        return verdict
    }

    /// Whether the hash was made with other parameters than today's, or not with argon2id.
    package func needsRehash(_ stored: String) -> Bool {
        algorithm.needsRehash(stored)
    }

    private func run<T: Sendable>(
        _ owner: JobOwner, _ body: @escaping @Sendable () throws(CryptoError) -> T
    ) async throws(IdentityError) -> T {
        let start = Instant.now()
        defer { WaitTimes.add(.hashing, from: start, to: .now()) }
        let result: Result<T, CryptoError>
        do throws(BlockingPool.Overloaded) {
            result = try await pool.run(for: owner) { Result(catching: body) }
        } catch {
            throw .overloaded(retryAfter: .seconds(1))
        }
        switch result {
        case .success(let value): return value
        case .failure(let error): throw .fault("a password cannot be hashed: \(error)")
        }
    }
}

/// For whom a password is hashed. Sites take turns, and within each its networks (`ClientNetwork`); what waits for one account or by way
/// of one client is bounded too.
extension JobOwner {
    /// - Parameters:
    ///   - account: by which it is told apart, as limits do; nil where there is none yet.
    ///   - client: nil for an operator.
    package init(hashingFor caller: Caller, account: String?, client: ClientID?) {
        let network = ClientNetwork(caller.address)
        self.init(network: network.site, address: network.text, groups: [account ?? "", client?.text ?? ""])
    }
}

extension JobOwner.Bounds {
    /// How many passwords may wait to be hashed.
    package init(hashes all: Int, site: Int, address: Int, account: Int, client: Int) {
        self.init(all: all, network: site, address: address, groups: [account, client])
    }
}
