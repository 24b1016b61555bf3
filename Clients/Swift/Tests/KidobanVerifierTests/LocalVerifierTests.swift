import ClientTestSupport
import Foundation
import KidobanTransport
import KidobanVerifierOpenSSL
import Testing

@testable import KidobanVerifier

@Suite("Local verification", .enabled(if: LiveServer.isThere))
struct LocalVerifierTests {
    @Test func `a good token says what introspection says`() async throws {
        let app = try await signedUpApp()
        let token = try await app.accessToken()
        let verified = try await local().verify(token)
        let asked = try await introspection().verify(token)
        #expect(verified.subject == asked.subject && verified.session == asked.session && verified.id == asked.id)
        #expect(verified.scopes == asked.scopes && verified.audiences == asked.audiences && verified.expiresAt == asked.expiresAt)
        #expect(verified.clientID == asked.clientID && verified.email == asked.email && verified.issuer == asked.issuer)
    }

    @Test func `a token is refused for each thing that is wrong with it`() async throws {
        let app = try await signedUpApp()
        let token = try await app.accessToken()
        let parts = token.split(separator: ".").map(String.init)
        let time = TestClock()
        let verifier = try local(clock: time.clock)
        func reason(_ text: String, _ verifier: LocalVerifier) async -> TokenError? {
            await error { () throws(TokenError) in _ = try await verifier.verify(text) }
        }
        let forged = Base64URL.encode(Data(#"{"iss":"\#(LiveServer.issuer)","sub":"somebody"}"#.utf8))
        #expect(await reason("\(parts[0]).\(forged).\(parts[2])", verifier) == .invalid(.badSignature))
        #expect(await reason("\(parts[0]).\(parts[1]).", verifier) == .invalid(.badSignature))
        #expect(await reason("\(parts[0]).\(parts[1])", verifier) == .invalid(.malformed))
        for (header, expected) in [
            (#"{"alg":"none","typ":"at+jwt","kid":"x"}"#, InvalidToken.wrongAlgorithm),
            (#"{"alg":"HS256","typ":"at+jwt","kid":"x"}"#, .wrongAlgorithm),
            (#"{"alg":"ES256","typ":"at+jwt","kid":"x","crit":["b64"]}"#, .wrongAlgorithm),
            (#"{"alg":"ES256","typ":"JWT","kid":"x"}"#, .wrongType),
            (#"{"alg":"ES256","kid":"x"}"#, .wrongType),
            (#"{"alg":"ES256","typ":"at+jwt"}"#, .malformed),
            (#"{"alg":"ES256","typ":"at+jwt","kid":"x"}"#, .unknownKey),
        ] {
            let head = Base64URL.encode(Data(header.utf8))
            #expect(await reason("\(head).\(parts[1]).\(parts[2])", verifier) == .invalid(expected), "\(header)")
        }
        let kid = try #require(SignedTokenHeader.kid(parts[0]))
        let confused = Base64URL.encode(Data(#"{"alg":"RS256","typ":"at+jwt","kid":"\#(kid)"}"#.utf8))
        #expect(await reason("\(confused).\(parts[1]).\(parts[2])", verifier) == .invalid(.wrongAlgorithm))
        #expect(await reason(token, try local(issuer: "https://elsewhere.example")) == .invalid(.wrongIssuer))
        #expect(await reason(token, try local(audience: "elsewhere")) == .invalid(.wrongAudience))
        #expect(await reason(token, verifier) == nil)
        time.advance(by: 86_400)
        #expect(await reason(token, verifier) == .invalid(.expired))
        time.advance(by: -2 * 86_400)
        #expect(await reason(token, verifier) == .invalid(.notYetValid))
    }

    @Test func `many requests at the start need one fetch of the keys`() async throws {
        let token = try await signedUpApp().accessToken()
        let transport = ScriptedTransport()
        let verifier = try local(transport)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<50 { tasks.addTask { _ = try await verifier.verify(token) } }
            try await tasks.waitForAll()
        }
        #expect(await transport.requests.count == 1)
    }
}

private enum SignedTokenHeader {
    static func kid(_ text: String) -> String? {
        struct Header: Decodable { let kid: String }
        return Base64URL.decode(text).flatMap { try? JSONDecoder().decode(Header.self, from: $0) }?.kid
    }
}

@Suite("Key sets")
struct KeySetCacheTests {
    private static func set(_ kids: String...) -> String {
        let keys = kids.map { kid in
            #"""
            {"kty":"EC","crv":"P-256","alg":"ES256","use":"sig","kid":"\#(kid)",
            "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
            """#
        }
        return #"{"keys":[\#(keys.joined(separator: ","))]}"#
    }

    private let time = TestClock()
    private let published = Box(KeySetCacheTests.set("first"))
    private let isAway = Box(false)

    private func cache() throws -> (KeySetCache, ScriptedTransport) {
        let transport = ScriptedTransport { [published, isAway] request in
            if isAway.value { return .fail(.cannotConnectToHost) }
            let tag = "\"\(published.value.utf8.reduce(0) { $0 &* 31 &+ Int($1) })\""
            if request.value(forHTTPHeaderField: "If-None-Match") == tag { return .answer(304, fields: ["ETag": tag]) }
            return .answer(200, fields: ["Cache-Control": "public, max-age=300", "ETag": tag], body: published.value)
        }
        let url = try #require(URL(string: "https://id.example.com/.well-known/jwks.json"))
        return (KeySetCache(url, SystemSignatures(), transport, time.clock), transport)
    }

    private func reason(_ cache: KeySetCache, _ kid: String) async -> TokenError? {
        await error { () throws(TokenError) in _ = try await cache.key(kid) }
    }

    @Test func `a key that was removed is noticed, and a new one is found`() async throws {
        let (cache, transport) = try cache()
        #expect(await reason(cache, "first") == nil)
        published.value = Self.set("first", "second")
        time.advance(by: 11)
        #expect(await reason(cache, "second") == nil)
        published.value = Self.set("second")
        #expect(await reason(cache, "first") == nil)
        time.advance(by: 300)
        #expect(await reason(cache, "first") == .invalid(.unknownKey))
        #expect(await reason(cache, "second") == nil)
        #expect(await transport.requests.count == 3)
        // Nothing new, and still fresh for as long again.
        time.advance(by: 300)
        #expect(await reason(cache, "second") == nil)
        #expect(await transport.requests.count == 4)
    }

    @Test func `made-up names cause no fetches`() async throws {
        let (cache, transport) = try cache()
        for number in 0..<5000 { #expect(await reason(cache, "made-up-\(number)") == .invalid(.unknownKey)) }
        #expect(await transport.requests.count == 1)
        for _ in 0..<20 {
            time.advance(by: 1)
            #expect(await reason(cache, "made-up-1") == .invalid(.unknownKey))
        }
        #expect(await transport.requests.count == 1)
    }

    @Test func `a name is unknown only once somebody has looked since`() async throws {
        let (cache, transport) = try cache()
        #expect(await reason(cache, "made-up") == .invalid(.unknownKey))
        published.value = Self.set("first", "second")
        time.advance(by: 4)
        #expect(await reason(cache, "second") == .unavailable(retryAfter: 6))
        time.advance(by: 6)
        #expect(await reason(cache, "second") == nil)
        #expect(await transport.requests.count == 2)
    }

    @Test func `old keys serve for an hour when the server is away, and then nobody knows`() async throws {
        let (cache, _) = try cache()
        #expect(await reason(cache, "first") == nil)
        isAway.value = true
        time.advance(by: 3000)
        #expect(await reason(cache, "first") == nil)
        #expect(await reason(cache, "second") == .unavailable(retryAfter: 1))
        time.advance(by: 700)
        #expect(await reason(cache, "first") == .unavailable(retryAfter: 1))
        isAway.value = false
        time.advance(by: 11)
        #expect(await reason(cache, "first") == nil)
    }

    @Test func `a server that is away at the start is asked again within a second`() async throws {
        let (cache, transport) = try cache()
        isAway.value = true
        for _ in 0..<10 { #expect(await reason(cache, "first") == .unavailable(retryAfter: 1)) }
        #expect(await transport.requests.count == 1)
        isAway.value = false
        time.advance(by: 1)
        #expect(await reason(cache, "first") == nil)
    }

    @Test func `what is no key set changes nothing`() async throws {
        let (cache, _) = try cache()
        #expect(await reason(cache, "first") == nil)
        published.value = "<html></html>"
        time.advance(by: 301)
        #expect(await reason(cache, "first") == nil)
        // Two keys of one name are none.
        published.value = Self.set("first", "first", "third")
        time.advance(by: 11)
        #expect(await reason(cache, "first") == .invalid(.unknownKey))
        #expect(await reason(cache, "third") == nil)
    }
}
