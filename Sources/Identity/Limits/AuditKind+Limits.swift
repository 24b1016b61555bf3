extension AuditKind {
    /// A budget was used up. Recorded once in a while for each, however many requests were refused.
    package static func limitReached(_ bucket: LimitBucket) -> AuditKind {
        AuditKind("limit_reached", reason: bucket.name, outcome: .refused)
    }
}
