/// Why a session ended before its time. The raw values are stored in its tombstone.
package enum SessionEnd: String, Sendable, CaseIterable {
    case signedOut = "signed_out"
    /// By the user from another device, by a client, or by an operator.
    case revoked
    /// A refresh token was presented that had long been used: somebody else holds a copy.
    case refreshReused = "refresh_reused"
    case passwordChanged = "password_changed"
    case userDisabled = "user_disabled"
    /// The identity that it began with is no longer the user's.
    case identityUnlinked = "identity_unlinked"
    /// The account had been made with somebody else's e-mail address, whose owner has come.
    case accountReclaimed = "account_reclaimed"
    /// The account has another e-mail address.
    case addressChanged = "address_changed"
    /// The owner has undone changes of the ways in.
    case changesUndone = "changes_undone"
    /// The provider that it began with says that it is no longer to be trusted.
    case endedByProvider = "ended_by_provider"
    /// Kept apart from the others because one API must tell its client that the user is gone.
    case userDeleted = "user_deleted"
}

/// What is left of a session that ended before its time, for long enough to tell a late request why it is refused, and to
/// delete the access tokens that a failure may have left.
package struct SessionTombstone: Sendable {
    /// Longer than any request is under way. One that lists access tokens stays until the last of them has expired.
    package static let standardLife: Duration = .seconds(60)

    package let reason: SessionEnd
    /// `nil` if the session was ended before it was written.
    package let userID: UserID?
    /// Verifies the macs of the session's tokens, so that nobody learns anything by guessing; `nil` if the session was ended
    /// before it was written.
    package let salt: SessionSalt?
}

extension SessionEnd {
    /// Whether the tombstone stays for as long as the session would have lived, because a client must be told the reason
    /// whenever it comes back.
    var outlivesTombstone: Bool {
        switch self {
        case .userDeleted: true
        case .signedOut, .revoked, .refreshReused, .passwordChanged, .userDisabled, .identityUnlinked, .accountReclaimed,
            .endedByProvider, .addressChanged, .changesUndone:
            false
        }
    }
}

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
