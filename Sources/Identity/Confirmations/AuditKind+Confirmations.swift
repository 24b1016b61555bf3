/// What is recorded of mails that were asked for, and of what their codes were used for.
extension AuditKind {
    /// By a code from a mail.
    package static let passwordReset = AuditKind("password_reset")
    package static let passwordResetRequested = AuditKind("password_reset_requested")
    package static let emailVerified = AuditKind("email_verified")
    package static let emailVerificationRequested = AuditKind("email_verification_requested")
    package static let signInLinkRequested = AuditKind("sign_in_link_requested")
    /// Another address, which has not been proved yet.
    package static let addressChangeRequested = AuditKind("address_change_requested")
    package static let addressChanged = AuditKind("address_changed")
    /// By the link of a mail that told of one of them.
    package static let changesUndone = AuditKind("changes_undone")
}
