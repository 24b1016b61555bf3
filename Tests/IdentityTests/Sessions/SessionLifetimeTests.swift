import Identity
import Testing
import Text

@Suite struct SessionLifetimeTests {
    private let lifetime = SessionLifetime(idle: .seconds(100), absolute: .seconds(1_000))

    private func expiry(lifetime seconds: Int, absoluteEndIn end: Int) -> Timestamp {
        lifetime.accessTokenExpiry(
            lifetime: .seconds(seconds), at: Sample.now, absoluteEnd: Sample.now.adding(.seconds(end))
        )
    }

    @Test func `an access token lives its own life within the session's`() {
        #expect(expiry(lifetime: 50, absoluteEndIn: 1_000) == Sample.now.adding(.seconds(50)))
    }

    @Test func `an access token does not outlive an idle session`() {
        #expect(expiry(lifetime: 101, absoluteEndIn: 1_000) == Sample.now.adding(.seconds(100)))
    }

    @Test func `an access token does not outlive the session's absolute end`() {
        #expect(expiry(lifetime: 50, absoluteEndIn: 49) == Sample.now.adding(.seconds(49)))
    }
}
