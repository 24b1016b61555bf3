import JOSE
package import Text

/// Proves clients by their assertions: with keys that they have registered, or that are where they have said. Each assertion once.
package struct ClientAssertions: Sendable {
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
    package func check(_ assertion: SecretString, of client: Client, at endpoint: String) async throws(IdentityError) {
        _ = try await checked(assertion, client, aboutItself: true, endpoint)
    }

    /// The user of an assertion by which a client wants to act (RFC 7523 §2.1).
    /// - Throws: `IdentityError.invalidClient` for one that proves nothing; `unavailable`.
    package func user(of assertion: SecretString, from client: Client) async throws(IdentityError) -> UserID {
        let checked = try await checked(assertion, client, aboutItself: false, "/oauth2/token")
        guard let user = UserID(checked.subject) else { throw .invalidClient }
        return user
    }

    /// Makes an assertion good again that this very request has used, and that has led to nothing because we have failed: RFC 7523 §3 wants that none is
    /// replayed, and the client may have no other one at hand.
    package func giveBack(_ assertion: SecretString, of client: Client) async {
        guard let id = ClientAssertion.unverifiedID(of: assertion.revealedText) else { return }
        await used.giveBack(.assertion, id, of: client.id.text)
    }

    private func checked(
        _ assertion: SecretString, _ client: Client, aboutItself: Bool, _ endpoint: String
    ) async throws(IdentityError) -> ClientAssertion {
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
        let isFirst = try await mapServiceFailures { () throws(ServiceFailure) in
            try await used.use(.assertion, checked.id, of: client.id.text, life: life)
        }
        guard isFirst else { throw .invalidClient }
        return checked
    }
}
