package import Text

/// Which grant of its session: a random number. The one that the session began with has the number 0, and is not named in its refresh tokens.
package struct GrantID: Hashable, Sendable, CustomStringConvertible {
    package static let byteCount = 4
    /// That with which a session begins.
    package static let first = GrantID(0)

    package let number: UInt32

    package init(_ number: UInt32) {
        self.number = number
    }

    /// Of a further grant. `random` must be `byteCount` bytes from a secure source: a number is not to come again in its session.
    package init(random: [UInt8]) {
        precondition(random.count == Self.byteCount, "a grant id is 4 bytes")
        number = max(1, random.reduce(0) { $0 << 8 | UInt32($1) })
    }

    package var description: String {
        String(number)
    }
}

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
    /// The key that its tokens are bound to.
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
        self.init(
            id: id, clientID: client.id, scopes: terms.scopes, audiences: terms.audiences,
            refresh: mode.map { RefreshRotation(mode: $0) }, confirmation: terms.confirmation)
    }
}

extension Grant {
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
    /// Who acts for the user with the first access token.
    package var actor: ClientID?
    /// When the first access token ends at the latest, by the clock of its session.
    package var end: Timestamp?

    package init(
        scopes: [String]? = nil, audiences: [String]? = nil, confirmation: KeyConfirmation? = nil, leeway: Duration = .zero,
        actor: ClientID? = nil, end: Timestamp? = nil
    ) {
        self.actor = actor
        self.end = end
        self.scopes = scopes
        self.audiences = audiences
        self.confirmation = confirmation
        self.leeway = leeway
    }
}

/// The key that a token is bound to: the member of `cnf` (RFC 7800 §3.1).
package struct KeyConfirmation: Hashable, Sendable {
    /// How the key is named.
    package enum Member: UInt8, Sendable, CaseIterable {
        /// `jkt`: SHA-256 thumbprint of a JWK (RFC 9449 §6.1).
        case jwkThumbprint = 1
        /// `x5t#S256`: SHA-256 of a certificate (RFC 8705 §3.1).
        case certificateThumbprint = 2

        package var name: String {
            switch self {
            case .jwkThumbprint: "jkt"
            case .certificateThumbprint: "x5t#S256"
            }
        }
    }

    package static let byteCount = 32

    package let member: Member
    package let thumbprint: [UInt8]

    /// Nil unless the thumbprint has 32 bytes.
    package init?(_ member: Member, thumbprint: [UInt8]) {
        guard thumbprint.count == Self.byteCount else { return nil }
        self.member = member
        self.thumbprint = thumbprint
    }

    /// As it is stored; empty for none.
    static func stored(_ confirmation: KeyConfirmation?) -> [UInt8] {
        confirmation.map { [$0.member.rawValue] + $0.thumbprint } ?? []
    }

    init?(stored bytes: some Collection<UInt8>) {
        guard let first = bytes.first, let member = Member(rawValue: first) else { return nil }
        self.init(member, thumbprint: Array(bytes.dropFirst()))
    }

    /// The value of `cnf`.
    package var json: JSONValue {
        .object(JSONObject([JSONObject.Member(key: member.name, value: .string(Base64URL.encode(thumbprint)))]))
    }
}
