package import Text

/// What one client got from a session (RFC 6749 §1.3): by which refresh tokens it gets access tokens, and what these are good for.
package struct Grant: Equatable, Sendable {
    package let id: GrantID
    package let clientID: ClientID
    /// What its access tokens are good for; nil for whatever the client's are when one is issued.
    package let scopes: [String]?
    /// Whom they are for; nil for the client's.
    package let audiences: [String]?
    /// Which refresh tokens count; nil where there are none.
    package let refresh: RefreshRotation?
    /// The key that all its tokens are bound to.
    package let confirmation: KeyConfirmation?

    package init(
        id: GrantID, clientID: ClientID, scopes: [String]? = nil, audiences: [String]? = nil, refresh: RefreshRotation?,
        confirmation: KeyConfirmation? = nil
    ) {
        self.id = id
        self.clientID = clientID
        self.scopes = scopes
        self.audiences = audiences
        self.refresh = refresh
        self.confirmation = confirmation
    }

    init(_ id: GrantID, to client: Client, refresh: RefreshRotation.Mode?, _ terms: GrantTerms) {
        // A client may have to replace its refresh tokens whatever is asked for.
        let mode = refresh == .static && client.rotatesRefreshTokens ? .rotating : refresh
        // The refresh tokens of who proves itself otherwise are bound to no key (RFC 9449 §5).
        self.init(
            id: id, clientID: client.id, scopes: terms.scopes, audiences: terms.audiences,
            refresh: mode.map { RefreshRotation(mode: $0) }, confirmation: client.isPublic ? terms.confirmation : nil)
    }
}

extension Grant {
    /// As its first access token is to have it.
    func first(_ terms: GrantTerms) -> Grant {
        Grant(
            id: id, clientID: clientID, scopes: scopes, audiences: terms.firstAudiences ?? audiences, refresh: refresh,
            confirmation: terms.confirmation ?? confirmation)
    }

    /// What is left of it for its client as that is registered now: what has been taken from the client is in no further token. Where no audience
    /// is left, those take their place that the client has instead: whoever renames an audience means that.
    func within(_ client: Client, _ installation: Installation) -> Grant {
        Grant(
            id: id, clientID: clientID, scopes: scopes.map { $0.filter { client.mayHave(scope: $0) } },
            audiences: audiences.map { Self.rest(of: $0, client, installation) }, refresh: refresh, confirmation: confirmation)
    }

    private static func rest(of audiences: [String], _ client: Client, _ installation: Installation) -> [String] {
        let own = client.tokenAudiences.isEmpty ? [installation.audience] : client.tokenAudiences
        // Grants of earlier versions name the issuer for UserInfo.
        let ours = [installation.issuer, installation.userInfoAudience]
        let isForUserInfo = audiences.contains { ours.contains($0) && !own.contains($0) }
        let kept = audiences.filter(own.contains)
        let isRenamed = kept.isEmpty && audiences.contains { !ours.contains($0) }
        return (isRenamed ? own : kept) + (isForUserInfo ? [installation.userInfoAudience] : [])
    }
}

/// What a client gets beyond its rule, or less.
package struct GrantTerms: Sendable {
    /// Nil for the client's own, as they are when a token is issued.
    package var scopes: [String]?
    /// Nil for the client's own.
    package var audiences: [String]?
    package var confirmation: KeyConfirmation?
    /// How much longer than usual the first access token lives.
    package var leeway: Duration
    /// Whom the first access token is for, if for fewer than those that follow (RFC 8707 §2.2).
    package var firstAudiences: [String]?
    /// Who acts for the user with the first access token, and before that whose token it was made of (RFC 8693 §4.1).
    package var actors: [ClientID]
    /// When the first access token ends at the latest, by the clock of its session.
    package var end: Timestamp?

    package init(
        scopes: [String]? = nil, audiences: [String]? = nil, confirmation: KeyConfirmation? = nil, leeway: Duration = .zero,
        actors: [ClientID] = [], end: Timestamp? = nil
    ) {
        self.actors = actors
        self.end = end
        self.scopes = scopes
        self.audiences = audiences
        self.confirmation = confirmation
        self.leeway = leeway
    }
}
