import JOSE
import Text

/// What somebody may do at our own endpoints with an access token: the one place that says which of them wants what of it.
///
/// An access token may be live and still be none for us: issued for somebody else's API, to a client that is not ours, or with less than
/// all rights. Our own endpoints change accounts, so they take what was issued for them only.
package enum AccountAccess: Sendable, CaseIterable {
    /// See the profile, the sessions, the identities.
    case read
    /// Change the profile, the password or the identities; delete the account.
    case change
    /// End sessions.
    case signOut

    /// The scope that opens an account. The installation's own apps have it always.
    package static let scope = "account"

    /// The scope that a token needs for this: one for all so far.
    package var scope: String { Self.scope }
}

/// Whose tokens our own endpoints take.
package struct AccountAccessRule: Sendable {
    /// Whom the token is for: this installation.
    private let audience: String
    /// To whom it was issued: the installation's own apps.
    private let clients: Set<ClientID>

    package init(audience: String, clients: Set<ClientID>) {
        self.audience = audience
        self.clients = clients
    }

    func permits(_ access: AccountAccess, _ principal: Principal) -> Bool {
        permits(access, principal.clientID, principal.audiences, principal.scopes)
    }

    /// - Parameter claims: of a JWT of ours.
    func permits(_ access: AccountAccess, _ claims: JWTClaims) -> Bool {
        guard let client = claims["client_id"]?.stringValue.flatMap({ ClientID($0) }) else { return false }
        let scopes = claims["scope"]?.stringValue?.split(separator: " ").map { String($0) } ?? []
        return permits(access, client, claims["aud"]?.audiences ?? [], Set(scopes))
    }

    private func permits(
        _ access: AccountAccess, _ client: ClientID, _ audiences: [String], _ scopes: Set<String>
    ) -> Bool {
        clients.contains(client) && audiences.contains(audience) && scopes.contains(access.scope)
    }
}

extension JSONValue {
    /// One, or a list of them (RFC 7519 §4.1.3).
    fileprivate var audiences: [String] {
        stringValue.map { [$0] } ?? arrayValue?.compactMap(\.stringValue) ?? []
    }
}
