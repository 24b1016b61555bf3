extension AuditKind {
    /// The mail server has refused a mail for good.
    package static let mailGivenUp = AuditKind("mail_given_up", outcome: .refused)
}
