/// What a mail is about. The raw values are stored.
package enum MailKind: String, Sendable, CaseIterable {
    /// With a link under which a new password can be set.
    case passwordReset = "password_reset"
    /// With a link that proves that the address is the user's.
    case emailVerification = "email_verification"
    /// That an account at a provider has become a way in, because it has the same address. Without a link.
    case identityLinked = "identity_linked"
    /// That somebody tried to sign up with an address that has an account. With a link under which a new password can be set.
    case signUpAttempted = "sign_up_attempted"
}
