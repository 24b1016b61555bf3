/// Why credentials authenticate nobody.
package enum CredentialError: Error, Equatable, Sendable {
    /// Unknown user, wrong password, no password at all, disabled account: the caller cannot tell them apart.
    case invalid
    /// The password is right, and the account is barred: only for protocols that tell (`SignInAttempt.tellsDisabled`).
    case userDisabled
    /// The credentials are right, but a user must prove first that the e-mail address is theirs.
    case emailNotVerified
}
