/// How the holder of a session proves to be its holder. The raw values are stored.
package enum SessionKind: String, Sendable, CaseIterable {
    /// By a refresh token that changes with each use.
    case rotating
    /// By a refresh token that stays, for clients that cannot store a new one.
    case `static`
    /// By a cookie that stays.
    case cookie

    /// What a session becomes that is asked for as this: a client may have to replace its refresh tokens whatever it asks for.
    func begun(with client: Client) -> SessionKind {
        self == .static && client.rotatesRefreshTokens ? .rotating : self
    }

    /// What the refresh rule makes of the session; `nil` for a cookie, which is never refreshed.
    package var refreshMode: RefreshRotation.Mode? {
        switch self {
        case .rotating: .rotating
        case .static: .static
        case .cookie: nil
        }
    }
}
