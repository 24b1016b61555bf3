/// Why an identity of a provider was not taken, linked or unlinked.
package enum FederationError: Error, Equatable, Sendable {
    /// An id token, or another proof of who the user is elsewhere, that proves nothing. Why is in the audit log.
    case invalidProof
    /// There is no such identity provider, or it is not switched on.
    case unknownProvider
    /// The e-mail address has an account, and the proof is not enough to take it for the same person's: sign in there and link.
    case emailNeedsLinking
    /// The identity belongs to another account.
    case identityTaken
    /// The user has no identity of that provider.
    case identityNotFound
    /// Without it the user could not sign in any more.
    case lastSignInMethod
}
