import Networking
import Testing

@testable import Identity

@Suite struct AuthorizationBoundsTests {
    @Test func `sixty-four scopes are enough, however often each comes`() throws {
        let words = (1...64).map { "scope\($0)" }
        let text = (words + words).joined(separator: " ")
        #expect(try ScopeText.scopes(text) == words)
        #expect(throws: AuthorizationRefusal.self) { try ScopeText.scopes(text + " one-more") }
    }

    @Test func `all parameters together are no longer than a request without a body`() {
        func parameters(_ length: Int) -> AuthorizationParameters {
            AuthorizationParameters([("state", String(repeating: "x", count: length)), ("nonce", "n")])
        }
        let rest = AuthorizationParameters.maximumLength - "statenoncen".utf8.count
        #expect(!parameters(rest).isTooLong)
        #expect(parameters(rest + 1).isTooLong)
    }

    @Test func `of the claims that are asked for by name, those count that there are`() {
        let names = (1...60).map { "made_up_\($0)" } + ["phone_number", "email", "email"]
        #expect(StandardClaims.known(names) == ["email", "phone_number"])
    }

    @Test func `an endpoint that did not answer in time is left alone for a while, and others are not`() {
        let (silences, start) = (Silences(), Instant.now())
        silences.note("https://one.example", at: start)
        #expect(silences.holds(for: "https://one.example", at: start + .seconds(29)))
        #expect(!silences.holds(for: "https://two.example", at: start))
        #expect(!silences.holds(for: "https://one.example", at: start + Silences.rest))
    }
}
