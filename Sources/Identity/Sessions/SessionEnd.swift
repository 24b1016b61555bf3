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
