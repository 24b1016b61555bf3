package import Text

/// What an installation has decided about accounts.
package struct AccountRules: Equatable, Sendable {
    /// How long after signing in a user may do what changes the ways in, without proving once more who they are.
    package var recentSignIn: Duration = .seconds(5 * 60)
    /// Whether a sign-up answers the same for every address, and the mail says the rest. A password signs in only who has confirmed the address then.
    package var signsUpByMail = false

    /// Of a user's custom claims, in bytes of their JSON text.
    package var claimsLimit = CustomClaims.standardLimit
    /// How many roles a user may have.
    package var rolesLimit = Roles.standardLimit

    package init() {}

    /// Whether a sign-in counts as a recent one. Who signed in at another copy may have done so in the future, by our clock.
    package func isRecent(_ authenticatedAt: Timestamp, at now: Timestamp) -> Bool {
        now.duration(since: authenticatedAt) <= recentSignIn
    }
}
