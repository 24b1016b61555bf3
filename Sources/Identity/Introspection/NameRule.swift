/// Who learns by an access token what its user is called, and whether that is proved.
extension StoredAccessToken {
    /// - Parameter client: who asks, if the scopes of its own tokens limit what it learns.
    func tellsName(to client: ClientID?) -> Bool {
        guard flags & AccessTokenRecord.Flags.hasName != 0 else { return false }
        guard let client, bytes[self.client].elementsEqual(client.text.utf8) else { return true }
        return hasScope("email")
    }
}

extension Grant {
    /// The same by a refresh token, of which nobody else than its client is told.
    func tellsName(to client: Client) -> Bool {
        client.limitedByScopes == nil || (scopes ?? client.scopes).contains("email")
    }
}

extension Client {
    /// Nil for the team's own. Any other learns of a user by its own tokens only what the user has let it know (RFC 9068 §6); by those of others
    /// what their audience does.
    var limitedByScopes: ClientID? { isFirstParty ? nil : id }
}
