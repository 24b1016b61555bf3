package import Text

extension JWTClaims {
    /// Whether the token is valid at a moment (RFC 7519 §4.1.4 to §4.1.6). `exp` has to be there.
    ///
    /// `leeway` covers clocks that differ, in both directions. With a `maximumAge` the token has to say when it was issued, and that
    /// must not be longer ago.
    package func checkTimes(
        at now: Timestamp,
        leeway: Duration,
        maximumAge: Duration? = nil
    ) throws(JOSEError) {
        let earliest = now.adding(.zero - leeway)
        let latest = now.adding(leeway)
        guard let expiresAt else { throw .missingClaim("exp") }
        guard expiresAt > earliest else { throw .expired }
        if let notBefore, notBefore > latest { throw .notYetValid }
        if let issuedAt, issuedAt > latest { throw .issuedInFuture }
        guard let maximumAge else { return }
        guard let issuedAt else { throw .missingClaim("iat") }
        guard issuedAt >= earliest.adding(.zero - maximumAge) else { throw .issuedTooLongAgo }
    }
}
