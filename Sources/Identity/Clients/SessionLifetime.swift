package import Text

/// How long a session lives: `idle` after its last use, and never longer than `absolute` after its beginning.
package struct SessionLifetime: Equatable, Sendable {
    package let idle: Duration
    package let absolute: Duration

    package init(idle: Duration, absolute: Duration) {
        self.idle = idle
        self.absolute = absolute
    }

    /// 30 days without use, 90 days in all.
    package static let standard = SessionLifetime(idle: .seconds(30 * 86_400), absolute: .seconds(90 * 86_400))

    /// When an access token that is issued now has to expire.
    ///
    /// Never after the session's own record, whose list of live access tokens is what makes them revocable.
    package func accessTokenExpiry(lifetime: Duration, at now: Timestamp, absoluteEnd: Timestamp) -> Timestamp {
        min(now.adding(min(lifetime, idle)), absoluteEnd)
    }
}
