/// Whose a cookie is, and what has become of its session.
enum CookieHolder {
    case live(Session)
    /// The session lives by what clients got from it, but the cookie is void: its user has signed in again since.
    case replaced(Session)
    case ended(SessionID, UserID)
    /// Nobody has ended the session, and nothing is left of it.
    case expired(SessionID, UserID)

    /// The session that the cookie is good for.
    var live: Session? {
        if case .live(let session) = self { session } else { nil }
    }

    var session: Session? {
        switch self {
        case .live(let session), .replaced(let session): session
        case .ended, .expired: nil
        }
    }

    var sessionID: SessionID {
        switch self {
        case .live(let session), .replaced(let session): session.id
        case .ended(let id, _), .expired(let id, _): id
        }
    }

    var userID: UserID {
        switch self {
        case .live(let session), .replaced(let session): session.userID
        case .ended(_, let userID), .expired(_, let userID): userID
        }
    }
}
