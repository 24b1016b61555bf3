/// Whose a refresh token is whose mac holds: a session that lives, or the tombstone of one.
enum RefreshTokenHolder {
    /// The session and the grant, which is nil when it has ended and the session has not.
    case live(Session, Grant?, RefreshToken)
    case ended(SessionID, UserID, SessionEnd)

    var sessionID: SessionID {
        switch self {
        case .live(let session, _, _): session.id
        case .ended(let id, _, _): id
        }
    }

    var userID: UserID {
        switch self {
        case .live(let session, _, _): session.userID
        case .ended(_, let userID, _): userID
        }
    }

    /// `nil` if nobody remembers.
    var clientID: ClientID? {
        switch self {
        case .live(_, let grant, _): grant?.clientID
        case .ended: nil
        }
    }
}
