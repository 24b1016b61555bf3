extension AuditKind {
    /// One address has failed to sign in to many accounts. Recorded once in ten minutes by each loop.
    package static let signInsSprayed = AuditKind("sign_ins_sprayed", outcome: .refused)
    /// An operator has emptied somebody's budgets.
    package static let limitLifted = AuditKind("limit_lifted")

    /// A budget was used up. Recorded once in a while for each, however many requests were refused.
    package static func limitReached(_ bucket: LimitBucket) -> AuditKind {
        AuditKind("limit_reached", reason: bucket.name, outcome: .refused)
    }
}
