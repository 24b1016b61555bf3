/// Why a session, or a token of it, is no good.
package enum SessionError: Error, Equatable, Sendable {
    /// An access token or a cookie that is none, or no longer one.
    case invalidAccessToken
    /// A refresh token that is none, or no longer one. Reuse looks the same to the caller.
    case invalidRefreshToken
    case notFound
    /// The session is too old for this: sign in again first.
    case recentSignInRequired
}
