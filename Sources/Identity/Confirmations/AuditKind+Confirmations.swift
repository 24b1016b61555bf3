/// What is recorded of mails that were asked for, and of what their codes were used for.
extension AuditKind {
    /// By a code from a mail.
    package static let passwordReset = AuditKind("password_reset")
    package static let passwordResetRequested = AuditKind("password_reset_requested")
    package static let emailVerified = AuditKind("email_verified")
    package static let emailVerificationRequested = AuditKind("email_verification_requested")
}
