/// How forgiving the refresh rule is to a client that presents the refresh token it had before.
package struct RefreshPolicy: Equatable, Sendable {
    /// For this long after a rotation the parent gets the same successor again. Whole milliseconds.
    package let grace: Duration
    /// For this long after a rotation, grace included, the parent gets a new successor instead of the one that nobody used.
    /// Whole milliseconds; no more than the grace means that there is no recovery.
    package let recovery: Duration

    package init(grace: Duration, recovery: Duration) {
        self.grace = grace
        self.recovery = recovery
    }

    /// 60 seconds for retries and for two refreshes at once, 24 hours for a lost response.
    package static let standard = RefreshPolicy(grace: .seconds(60), recovery: .seconds(86_400))

    /// Every second use of a refresh token is reuse. A lost response then costs the user the session.
    package static let strict = RefreshPolicy(grace: .zero, recovery: .zero)
}
