import JOSE
package import Text

/// Proves clients by their assertions: with keys that they have registered, or that are where they have said. Each assertion once.
package struct ClientAssertions: Sendable {
    /// That a request has used an assertion.
    package struct Use: Sendable {
        fileprivate let identifier: UsedIdentifiers.Use
    }

    private static let markByteCount = 16

    private let issuer: String
    private let used: UsedIdentifiers
    private let keys: ClientKeySets
    private let system: SystemContext

    init(issuer: String, used: UsedIdentifiers, keys: ClientKeySets, system: SystemContext) {
        self.issuer = issuer
        self.used = used
        self.keys = keys
        self.system = system
    }

    /// - Parameter endpoint: the path at which it was presented.
    /// - Throws: `IdentityError.invalidClient`; `unavailable` when it cannot be told.
    package func check(_ assertion: SecretString, of client: Client, at endpoint: String) async throws(IdentityError) -> Use {
        try await checked(assertion, client, aboutItself: true, endpoint).use
    }

    /// The user of an assertion by which a client wants to act (RFC 7523 §2.1).
    /// - Throws: `IdentityError.invalidClient` for one that proves nothing; `unavailable`.
    package func user(of assertion: SecretString, from client: Client) async throws(IdentityError) -> (UserID, Use) {
        let (verified, use) = try await checked(assertion, client, aboutItself: false, "/oauth2/token")
        guard let user = UserID(verified.subject) else { throw .invalidClient }
        return (user, use)
    }

    /// Makes an assertion good again that has led to nothing because we have failed: RFC 7523 §3 wants that none is replayed, and the client may have
    /// no other one at hand.
    package func giveBack(_ use: Use) async {
        await used.giveBack(use.identifier)
    }

    private func checked(
        _ assertion: SecretString, _ client: Client, aboutItself: Bool, _ endpoint: String
    ) async throws(IdentityError) -> (assertion: ClientAssertion, use: Use) {
        guard client.authentication == .privateKeyJWT else { throw .invalidClient }
        let audiences = [issuer, issuer + "/oauth2/token", issuer + endpoint]
        let now = system.now()
        let keys = try await self.keys.keys(of: client, needing: ClientAssertion.keyID(of: assertion.revealedText))
        let checked: ClientAssertion
        do throws(ClientAssertion.Refusal) {
            checked = try ClientAssertion(
                assertion.revealedText, of: client.id, keys: keys, aboutItself: aboutItself, audiences: audiences,
                at: now)
        } catch {
            throw .invalidClient
        }
        let life = checked.expiresAt.duration(since: now) + ClientAssertion.leeway * 2
        let mark = system.random(Self.markByteCount)
        let use = try await mapServiceFailures { () throws(ServiceFailure) in
            try await used.use(.assertion, checked.id, of: client.id.text, life: life, mark: mark)
        }
        guard let use else { throw .invalidClient }
        return (checked, Use(identifier: use))
    }
}
