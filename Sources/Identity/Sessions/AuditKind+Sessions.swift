/// What is recorded of sessions and their tokens.
extension AuditKind {
    package static func tokenRefreshed(_ issue: RefreshSessionScript.Issue) -> AuditKind {
        AuditKind("token_refreshed", reason: issue.rawValue, isOrdinaryUse: issue == .rotate || issue == .keep)
    }

    package static let refreshRefused = AuditKind("refresh_refused", outcome: .refused)
    /// A used refresh token came back: a copy of it is about, and its session was ended.
    package static let refreshReused = AuditKind("refresh_reused", outcome: .refused)
    package static let tokenRevoked = AuditKind("token_revoked")

    package static func sessionEnded(_ end: SessionEnd) -> AuditKind {
        AuditKind("session_ended", reason: end.rawValue)
    }

    /// What one client got from a session, which lives on.
    package static let grantEnded = AuditKind("grant_ended")

    /// All sessions of one user.
    package static func allSessionsEnded(_ end: SessionEnd) -> AuditKind {
        AuditKind("all_sessions_ended", reason: end.rawValue)
    }
}
