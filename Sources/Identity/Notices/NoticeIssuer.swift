package import JOSE
package import Text

/// Who sends notices, and what one must say of itself to be believed.
package struct NoticeIssuer: Sendable {
    private static let leeway: Duration = .seconds(60)
    /// Apple sends a notification again for as long as it is not answered with 200.
    package static let appleMaximumAge: Duration = .seconds(24 * 60 * 60)
    /// The `iss` of Google's security events: other than that of its id tokens it ends with a slash.
    package static let googleEvents = "https://accounts.google.com/"

    /// Whose identities it speaks of.
    package let provider: ProviderID
    /// Under which name its keys are looked up.
    package let keys: ProviderID
    package let issuers: [String]
    /// Our client ids at the provider.
    package let clientIDs: [String]
    /// How old a notice may be, or nil for any age.
    package let maximumAge: Duration?

    package init(
        provider: ProviderID, keys: ProviderID, issuers: [String], clientIDs: [String], maximumAge: Duration?
    ) {
        self.provider = provider
        self.keys = keys
        self.issuers = issuers
        self.clientIDs = clientIDs
        self.maximumAge = maximumAge
    }

    /// Checks the claims of a notice whose signature holds. `exp` is not looked at: a notice tells of what has happened, and that stays
    /// true (RFC 8417 §2.2).
    package func check(_ claims: JWTClaims, at now: Timestamp) throws(NoticeRefusal) {
        guard let issuer = claims.issuer, issuers.contains(issuer) else { throw .issuer }
        guard claims.audience.contains(where: clientIDs.contains) else { throw .audience }
        guard let issuedAt = claims.issuedAt else { throw .claim("iat") }
        guard issuedAt <= now.adding(Self.leeway) else { throw .time }
        if let maximumAge, issuedAt < now.adding(.zero - maximumAge - Self.leeway) { throw .time }
    }
}

extension ProviderID {
    /// Under which the keys of Google's security events are looked up where they are not those of its id tokens.
    /// No configured provider can have this name.
    package static let googleEvents = ProviderID(checked: "google:events")
}
