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

    /// The scope that a token needs for this.
    package var scope: String {
        switch self {
        case .read, .change, .signOut: Self.scope
        }
    }
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

    /// A token that says nothing of scopes is of a version that issued none but such as these.
    /// - Parameter member: of the token's record or claims.
    func permits(_ access: AccountAccess, _ member: (String) -> JSONValue?) -> Bool {
        guard let client = member("client_id")?.stringValue.flatMap({ ClientID($0) }), clients.contains(client),
            member("aud")?.names(audience) ?? false
        else { return false }
        guard let scope = member("scope") else { return true }
        return scope.stringValue?.split(separator: " ").contains { $0 == access.scope } ?? false
    }
}

extension JSONValue {
    /// Whether it is this audience, or a list with it (RFC 7519 §4.1.3).
    fileprivate func names(_ audience: String) -> Bool {
        stringValue == audience || arrayValue?.contains { $0.stringValue == audience } ?? false
    }
}
