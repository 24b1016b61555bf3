/// What a mail is about. The raw values are stored.
package enum MailKind: String, Sendable, CaseIterable {
    /// With a link under which a new password can be set.
    case passwordReset = "password_reset"
    /// With a link that proves that the address is the user's.
    case emailVerification = "email_verification"
    /// With a link that signs in whoever reads the mail.
    case signInLink = "sign_in_link"
    /// With a code that signs in whoever types it where it was asked for.
    case signInCode = "sign_in_code"
    /// That an account at a provider has become a way in. With a link that undoes it, as the other changes below have it.
    case identityLinked = "identity_linked"
    /// That somebody tried to sign up with an address that has an account. With a link under which a new password can be set.
    case signUpAttempted = "sign_up_attempted"
    /// That an account at a provider is no longer a way in.
    case identityUnlinked = "identity_unlinked"
    /// That a password was set, changed or reset.
    case passwordChanged = "password_changed"
    /// That somebody has asked for another address. To the address that would be replaced.
    case addressChangeRequested = "address_change_requested"
    /// That the address was replaced. To the old one.
    case addressChanged = "address_changed"
    /// With a link that proves a new address, which then takes the place of the old one.
    case addressConfirmation = "address_confirmation"
    /// That somebody wanted the recipient's address for another account. Without a link.
    case addressTaken = "address_taken"
    /// That changes were undone. Without a link.
    case changesUndone = "changes_undone"
}

/// What a mail is written in. The raw values are stored.
package enum MailLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case japanese = "ja"
}
