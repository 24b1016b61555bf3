package import Text

/// Who somebody is at a provider, as far as the linking rules look at it.
package struct PresentedIdentity: Sendable {
    /// How far an address can be trusted to be the person's own, now.
    package enum EmailStanding: Equatable, Sendable, CaseIterable {
        /// The client says so, or the provider does and has not verified it.
        case unverified
        /// The provider has verified it once; since then it may have changed hands.
        case verified
        /// The provider answers for it: it runs the mailbox, or has checked lately.
        case authoritative
        /// Made by the provider for this user and us: real, and nobody else's, but no name of the person that others know.
        case relay
    }

    /// Where Apple's relay addresses are.
    static let relayDomain = "privaterelay.appleid.com"

    package let provider: ProviderID
    package let subject: String
    /// Empty when nothing was proved.
    package let audience: String
    package let email: EmailAddress?
    /// Of no meaning without an address.
    package let emailStanding: EmailStanding
    /// What the client says that the user is called. Apple tells it to the app only, and once.
    package let toldName: DisplayName?
    /// What the provider says that the user is called.
    package let providerName: DisplayName?
    package let photoURL: PhotoURL?
    /// When the provider said all this; nil when nothing was proved.
    package let issuedAt: Timestamp?

    init(
        provider: ProviderID, subject: String, audience: String, email: EmailAddress?, emailStanding: EmailStanding,
        toldName: DisplayName? = nil, providerName: DisplayName? = nil, photoURL: PhotoURL? = nil, issuedAt: Timestamp? = nil
    ) {
        self.provider = provider
        self.subject = subject
        self.audience = audience
        self.email = email
        self.emailStanding = emailStanding
        self.toldName = toldName
        self.providerName = providerName
        self.photoURL = photoURL
        self.issuedAt = issuedAt
    }

    /// From an id token. Its name and picture are taken if they can be; they are worth no refusal.
    /// - Parameter claimedEmail: what the client says, which counts only where the token has no address, and never as verified.
    init(_ token: VerifiedIDToken, toldName: DisplayName?, claimedEmail: EmailAddress?) {
        self.init(
            provider: token.provider, subject: token.subject, audience: token.audience, email: token.email ?? claimedEmail,
            emailStanding: token.email == nil ? .unverified : Self.standing(token),
            toldName: toldName, providerName: token.name.flatMap { try? DisplayName($0) },
            photoURL: token.pictureURL.flatMap { try? PhotoURL($0) }, issuedAt: token.issuedAt)
    }

    private static func standing(_ token: VerifiedIDToken) -> EmailStanding {
        guard token.isEmailVerified else { return .unverified }
        if token.isPrivateEmail || token.email?.normalized.hasSuffix("@" + relayDomain) == true { return .relay }
        return token.isEmailAuthoritative ? .authoritative : .verified
    }

    /// What a user is called who has no name yet: display only.
    package var displayName: DisplayName? {
        toldName ?? providerName
    }

    /// Whether the provider has verified the address.
    package var isEmailVerified: Bool {
        switch emailStanding {
        case .unverified: false
        case .verified, .authoritative, .relay: email != nil
        }
    }

    /// The identity that a user gets by this.
    func identity(of userID: UserID, at now: Timestamp) -> ExternalIdentity {
        ExternalIdentity(
            provider: provider, subject: subject, userID: userID, audience: audience, email: email?.typed,
            isEmailVerified: isEmailVerified, isPrivateEmail: emailStanding == .relay, createdAt: now, lastUsedAt: now)
    }
}
