package import Crypto
package import Networking
import Text

/// Hashes and checks passwords with argon2id, and checks them against bcrypt hashes that users have brought along, on the threads of a pool, never on a loop.
package struct PasswordHasher: Sendable {
    private let pool: BlockingPool
    private let algorithm: Argon2id
    /// A hash that no password has, made with the same parameters as real ones: what an unknown user is checked against, so
    /// that it takes as long as a known one.
    private let decoy: String
    /// Whether a check takes as long for users with bcrypt hashes as for others.
    let hidesImported: Bool

    /// - Throws: `CryptoError` when the parameters are outside argon2's limits.
    package init(
        _ parameters: Argon2id.Parameters, hidesImported: Bool = true, pool: BlockingPool, random: (Int) -> [UInt8]
    ) throws(CryptoError) {
        self.hidesImported = hidesImported
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

    /// Whether this is the password; with no stored hash it never is, after the same work.
    /// - Parameter importedCost: the highest cost of any user's bcrypt hash, for `PasswordCheck`; nil for none.
    /// - Throws: `IdentityError.overloaded`; `internalFault` when the stored hash cannot be used.
    package func verify(
        _ password: Password, against stored: String?, importedCost: Int? = nil, for owner: JobOwner
    ) async throws(IdentityError) -> Bool {
        let check = PasswordCheck(of: stored, importedCost: importedCost, decoy: decoy)
        return try await run(owner) { [algorithm] () throws(CryptoError) in
            try check.run(password.secret.revealedBytes, algorithm)
        }
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
        guard case .success(let value) = result else { throw .internalFault }
        return value
    }
}
