package import Crypto
package import JOSE

/// Limits, mails and keys.
extension Administration {
    /// Empties the budgets that an address, an account, or the one at the other, has used up.
    /// - Parameter address: an IP address.
    /// - Returns: how many had been used.
    package func liftLimits(address: String?, account: EmailAddress?) async throws(AdministrationError) -> Int {
        try await with(.liftLimits) { () throws(IdentityError) in
            try await limiter.lift(address: address, account: account, by: actor, caller: caller)
        }
    }

    /// The mails that wait, due or not, the oldest first, with their links.
    package func waitingMails(_ count: Int) async throws(AdministrationError) -> [StoredMail] {
        try await with(.readMails) { () throws(IdentityError) in try await outbox.waiting(count, at: system.statementTime) }
    }

    /// Has all mails tried at once that were put off.
    /// - Returns: how many that is.
    package func retryMails() async throws(AdministrationError) -> Int {
        try await with(.retryMails) { () throws(IdentityError) in try await outbox.retry(at: system.statementTime) }
    }

    package func keys() async throws(AdministrationError) -> [SigningKeyRecord] {
        try permit(.readKeys)
        return try await keeping { () throws(SigningKeyStore.Failure) in try await signingKeys.records() }
    }

    /// The public parts of the keys of the key set.
    package func publishedKeys() async throws(AdministrationError) -> [(record: SigningKeyRecord, key: JWK)] {
        try permit(.readKeys)
        return try await keeping { () throws(SigningKeyStore.Failure) in try await signingKeys.published() }
    }

    /// Publishes a new signing key, or says how far that is.
    package func rotateKey(_ algorithm: SignatureAlgorithm) async throws(AdministrationError) -> SigningKeyStore.Rotation {
        try permit(.manageKeys)
        let outcome = try await keeping { () throws(SigningKeyStore.Failure) in try await signingKeys.rotate(algorithm) }
        switch outcome {
        case .begun(let key): await note(.signingKeyCreated, key)
        case .completed(let key): await note(.signingKeyActivated, key)
        case .underWay, .noActiveKey: break
        }
        return outcome
    }

    /// Takes a key out of the key set at once.
    package func retireKey(_ kid: String) async throws(AdministrationError) -> SigningKeyStore.Retirement {
        try permit(.manageKeys)
        let outcome = try await keeping { () throws(SigningKeyStore.Failure) in try await signingKeys.retire(kid) }
        if case .removed(let key, let successor) = outcome { await note(.signingKeyRetired, key, successor: successor) }
        return outcome
    }

    private func note(_ kind: AuditKind, _ key: SigningKeyRecord, successor: String? = nil) async {
        await audit.record(AuditEvent(kind, of: key, successor: successor, by: actor, system: system))
    }

    private func keeping<T>(
        _ body: () async throws(SigningKeyStore.Failure) -> T
    ) async throws(AdministrationError) -> T {
        do throws(SigningKeyStore.Failure) {
            return try await body()
        } catch {
            throw .keys(error)
        }
    }
}
