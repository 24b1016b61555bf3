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

    /// - Throws: `CryptoError` when the parameters are outside argon2's limits.
    package init(_ parameters: Argon2id.Parameters, pool: BlockingPool, random: (Int) -> [UInt8]) throws(CryptoError) {
        algorithm = try Argon2id(parameters: parameters)
        self.pool = pool
        decoy = algorithm.decoy(random: random)
    }

    /// The string to store.
    /// - Throws: `IdentityError.overloaded` when too many wait already.
    package func hash(_ password: Password) async throws(IdentityError) -> String {
        let algorithm = algorithm
        return try await run { () throws(CryptoError) in try algorithm.hash(password: password.secret.revealedBytes) }
    }

    /// What a password is to a stored hash.
    package enum Verdict: Sendable {
        case matches, differs
        /// The hash is of a kind, or of a cost, that is not checked here: no password is the right one.
        case unusableHash
    }

    /// Whether this is the password; with no stored hash, or one that cannot be used, it never is, after the same work.
    /// - Throws: `IdentityError.overloaded`; `internalFault` when hashing fails.
    package func verify(_ password: Password, against stored: String?) async throws(IdentityError) -> Bool {
        try await verdict(on: password, against: stored) == .matches
    }

    /// The same, told apart.
    package func verdict(on password: Password, against stored: String?) async throws(IdentityError) -> Verdict {
        let (algorithm, decoy) = (algorithm, decoy)
        let target = stored ?? decoy
        let verdict = try await run { () throws(CryptoError) -> Verdict in
            let bytes = password.secret.revealedBytes
            do throws(CryptoError) {
                let matches =
                    Bcrypt.made(target)
                    ? try Bcrypt.verify(password: bytes, against: target) : try algorithm.verify(password: bytes, against: target)
                return matches ? .matches : .differs
            } catch {
                guard error == .malformedPasswordHash || error == .passwordParametersRefused else { throw error }
                // Nobody learns from the time that there is such an account.
                _ = try algorithm.verify(password: bytes, against: decoy)
                return .unusableHash
            }
        }
        if verdict == .unusableHash {
            WaitTimes.note(
                fault: "the stored password hash is of another program or too dear: nobody can sign in with it until a reset")
        }
        return stored == nil ? .differs : verdict
    }

    /// Whether the hash was made with other parameters than today's, or not with argon2id.
    package func needsRehash(_ stored: String) -> Bool {
        algorithm.needsRehash(stored)
    }

    private func run<T: Sendable>(
        _ body: @escaping @Sendable () throws(CryptoError) -> T
    ) async throws(IdentityError) -> T {
        let start = Instant.now()
        defer { WaitTimes.add(.hashing, from: start, to: .now()) }
        let result: Result<T, CryptoError>
        do throws(BlockingPool.Overloaded) {
            result = try await pool.run { Result(catching: body) }
        } catch {
            throw .overloaded(retryAfter: .seconds(1))
        }
        switch result {
        case .success(let value): return value
        case .failure(let error): throw .fault("a password cannot be hashed: \(error)")
        }
    }
}
