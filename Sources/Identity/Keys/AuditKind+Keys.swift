/// What is recorded of signing keys.
extension AuditKind {
    package static let signingKeyCreated = AuditKind("signing_key_created")
    package static let signingKeyActivated = AuditKind("signing_key_activated")
    /// Taken out of the key set by an operator, before its time.
    package static let signingKeyRetired = AuditKind("signing_key_retired")
    /// Nothing that it has signed is good any more.
    package static let signingKeyRemoved = AuditKind("signing_key_removed")
}
