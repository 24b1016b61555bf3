import Text

/// What has lately been put on record, such as buckets that are used up, so that a flood of refused requests does not become one of
/// audit events.
/// Confined to its loop.
final class LimitNotices: @unchecked Sendable {  // asked on its own loop only
    /// How long a bucket is not put on record again, unless said otherwise.
    static let pause = Duration.seconds(600)
    /// Of how many buckets that can be: of no more within a pause anything is recorded.
    static let capacity = 256

    private let pause: Duration
    private var ends: [String: Timestamp] = [:]

    init(pause: Duration = LimitNotices.pause) {
        self.pause = pause
    }

    /// Whether to put it on record now.
    func admits(_ key: String, at now: Timestamp) -> Bool {
        if let end = ends[key], now < end { return false }
        if ends.count >= Self.capacity { ends = ends.filter { now < $0.value } }
        guard ends.count < Self.capacity else { return false }
        ends[key] = now.adding(pause)
        return true
    }
}

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
