/// Whose a refresh token is whose mac holds: a session that lives, or the tombstone of one.
enum RefreshTokenHolder {
    case live(Session, RefreshToken)
    case ended(SessionID, UserID, SessionEnd)

    var sessionID: SessionID {
        switch self {
        case .live(let session, _): session.id
        case .ended(let id, _, _): id
        }
    }

    var userID: UserID {
        switch self {
        case .live(let session, _): session.userID
        case .ended(_, let userID, _): userID
        }
    }

    /// `nil` if nobody remembers.
    var clientID: ClientID? {
        switch self {
        case .live(let session, _): session.clientID
        case .ended: nil
        }
    }
}
