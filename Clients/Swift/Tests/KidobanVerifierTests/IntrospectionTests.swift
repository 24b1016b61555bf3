import ClientTestSupport
import Foundation
import KidobanTransport
import Testing

@testable import KidobanVerifier

@Suite("Introspection", .enabled(if: LiveServer.isThere))
struct IntrospectionTests {
    @Test func `a good token says whose it is, and a revoked one is refused at once`() async throws {
        let app = try await signedUpApp()
        let verifier = try introspection()
        let token = try await app.accessToken()
        let verified = try await verifier.verify(authorization: "Bearer \(token)", scopes: ["openid"])
        let user = try #require(await app.user)
        #expect(verified.subject == user.id && verified.session != nil && verified.email == user.email)
        #expect(verified.claim("token_type") == "Bearer")
        #expect(
            await error { () throws(TokenError) in
                _ = try await verifier.verify(authorization: "Bearer \(token)", scopes: ["gate"])
            }
                == .insufficientScope(["gate"]))
        try await app.signOut()
        #expect(await error { () throws(TokenError) in _ = try await verifier.verify(token) } == .invalid(.inactive))
    }

    @Test func `a wrong secret is our fault, not the user's`() async throws {
        let token = try await signedUpApp().accessToken()
        let verifier = IntrospectionVerifier(
            server: try LiveServer.required(), client: ClientCredentials(id: LiveServer.clientID, secret: "wrong"))
        let failure = await error { () throws(TokenError) in _ = try await verifier.verify(token) }
        #expect(failure == .misconfigured(status: 401))
        #expect(failure?.status == 503 && failure?.challenge == nil)
    }

    @Test func `without an answer nobody is let in and nobody signed out`() async throws {
        let nowhere = try #require(URL(string: "http://127.0.0.1:9"))
        let verifier = IntrospectionVerifier(server: nowhere, client: credentials)
        let failure = await error { () throws(TokenError) in _ = try await verifier.verify("kda_something") }
        #expect(failure == .unavailable(retryAfter: nil) && failure?.status == 503 && failure?.retryAfter == 1)
        let busy = ScriptedTransport { _ in .answer(503, fields: ["Retry-After": "7"]) }
        let second = try introspection(busy)
        #expect(await error { () throws(TokenError) in _ = try await second.verify("kda_x") } == .unavailable(retryAfter: 7))
    }

    @Test func `an answer that is lost is asked for once more`() async throws {
        let token = try await signedUpApp().accessToken()
        let isFirst = Box(true)
        let transport = ScriptedTransport { _ in
            isFirst.change { first in
                defer { first = false }
                return first
            } ? .loseAnswer : .deliver
        }
        _ = try await introspection(transport).verify(token)
        #expect(await transport.requests.count == 2)
    }

    @Test func `a refresh token is none, whatever its client may hear of it`() async throws {
        let about = #"{"active":true,"client_id":"app","sub":"u","exp":1900000000,"iat":1800000000,"iss":"i","sid":"s"}"#
        let transport = ScriptedTransport { _ in .answer(200, body: about) }
        let verifier = try introspection(transport)
        #expect(await error { () throws(TokenError) in _ = try await verifier.verify("kdr_x.1.y") } == .invalid(.inactive))
        let body = await transport.requests.first?.httpBody.map { String(decoding: $0, as: UTF8.self) }
        #expect(body == "token=kdr_x.1.y&token_type_hint=access_token")
    }

    @Test func `what is no token asks nobody`() async throws {
        let transport = ScriptedTransport()
        let verifier = try introspection(transport)
        for text in ["", "a b", "ключ", "a\r\nb", String(repeating: "a", count: 20_000)] {
            #expect(await error { () throws(TokenError) in _ = try await verifier.verify(text) } == .invalid(.malformed))
        }
        #expect(await error { () throws(TokenError) in _ = try await verifier.verify(authorization: nil) } == .noToken)
        #expect(await error { () throws(TokenError) in _ = try await verifier.verify(authorization: "Basic eDp5") } == .noToken)
        #expect(
            await error { () throws(TokenError) in _ = try await verifier.verify(authorization: "Bearer a b") }
                == .invalid(.malformed))
        #expect(await transport.requests.isEmpty)
    }

    @Test func `answers are remembered for a time that is bounded`() async throws {
        let app = try await signedUpApp()
        let transport = ScriptedTransport()
        let time = TestClock()
        let verifier = try introspection(transport, cache: .init(lifetime: 5), clock: time.clock)
        let token = try await app.accessToken()
        for _ in 0..<10 { _ = try await verifier.verify(token) }
        #expect(await transport.requests.count == 1)
        try await app.signOut()
        _ = try await verifier.verify(token)
        time.advance(by: 5)
        #expect(await error { () throws(TokenError) in _ = try await verifier.verify(token) } == .invalid(.inactive))
    }
}

@Suite("Remembered answers")
struct AnswerCacheTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test func `there are so many at most, and the newest stay`() {
        let cache = AnswerCache(lifetime: 60, entries: 100)
        for number in 0..<1000 { cache.remember(token(), "token-\(number)", nil, until: nil, at: now) }
        for _ in 0..<1000 { cache.remember(token(), "token-999", nil, until: nil, at: now) }
        #expect(cache.count <= 100)
        #expect(cache.answer(to: "token-999", at: now) != nil)
        #expect(cache.answer(to: "token-0", at: now) == nil)
    }

    @Test func `none is good for longer than its token, or after the clock was put back`() {
        let cache = AnswerCache(lifetime: 60, entries: 10)
        cache.remember(token(expiresIn: 2), "a", nil, until: nil, at: now)
        cache.remember(token(expiresIn: 5000), "b", nil, until: now + 30, at: now)
        #expect(cache.answer(to: "a", at: now + 1.9) != nil)
        #expect(cache.answer(to: "a", at: now + 2) == nil)
        #expect(cache.answer(to: "b", at: now + 30) == nil)
        cache.remember(token(expiresIn: 5000), "c", nil, until: nil, at: now)
        #expect(cache.answer(to: "c", at: now - 10_000) == nil)
    }

    private func token(expiresIn seconds: TimeInterval = 900) -> VerifiedToken {
        .sample(issuedAt: now - 10, expiresAt: now + seconds)
    }
}

extension VerifiedToken {
    static func sample(
        id: String = "jti", session: String? = "sid", client: String = "app", issuedAt: Date, expiresAt: Date
    ) -> VerifiedToken {
        VerifiedToken(
            subject: "sub", session: session, clientID: client, audiences: [], issuer: "", scopes: [], roles: [], email: nil,
            isEmailVerified: false, methods: [], authenticatedAt: nil, issuedAt: issuedAt, expiresAt: expiresAt, id: id,
            claims: Data())
    }
}
