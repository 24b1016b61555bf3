import Crypto
import JOSE
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// The module, with a real Redis for what has been used and a real PostgreSQL for what was refused.
    @Suite struct FederationTests {
        private let issuer: TestIssuer
        private let lookup = Locked(KeySetLookup.unknownKey)

        init() throws {
            issuer = try TestIssuer()
            let key = issuer.jwk
            lookup.withLock { $0 = .key(key) }
        }

        private func verify(
            _ token: SecretString, from provider: ProviderID = .apple, nonce: String? = nil, on copy: Copy,
            keys: Federation.KeyLookup? = nil
        ) async throws -> VerifiedIDToken {
            let lookup = lookup
            let keys = keys ?? { keyID, _ in keyID == TestIssuer.keyID ? lookup.value : .unknownKey }
            return try await copy.run { parts in
                let federation = Federation(
                    providers: [TestIssuer.apple, TestIssuer.google], keys: keys,
                    replays: ReplayMemory(redis: parts.redis, clock: .callers), limiter: parts.limiter, audit: parts.audit,
                    metrics: parts.metrics,
                    system: parts.accounts.system)
                return try await federation.verify(
                    token, from: provider, nonce: nonce.map { SecretString($0) }, caller: Copy.caller)
            }
        }

        @Test func `a token is good once, and again for half a minute`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let token = try issuer.token(TestIssuer.appleClaims())
                let first = try await verify(token, on: world.a)
                #expect(try await verify(token, on: world.b).digest == first.digest)
                try await world.pass(.seconds(30))
                _ = try await verify(token, on: world.b)
                try await world.pass(.milliseconds(1))
                for copy in world.copies {
                    await #expect(throws: IdentityError.invalidProviderToken) { try await verify(token, on: copy) }
                }
                let events = try await world.a.events("provider_token_refused", count: 2)
                #expect(events.map(\.reason) == ["replayed", "replayed"])
            }
        }

        @Test func `it is remembered for as long as its times would let it in, under a hash`() async throws {
            try await World.run { world in
                let token = try issuer.token(TestIssuer.googleClaims())
                let verifiedToken = try await verify(token, from: .google, on: world.a)
                let item = try #require(try await world.a.keyspace().items.first { $0.key.hasPrefix("it:") })
                #expect(item.key == "it:" + verifiedToken.digest.hex)
                #expect(item.life > 3_600_000 && item.life <= 3_720_000)
                try await world.pass(.seconds(3600 + 59))
                await #expect(throws: IdentityError.invalidProviderToken) { try await verify(token, from: .google, on: world.a) }
                try await world.pass(.seconds(120))
                #expect(try await world.a.keyspace().keys("it:").isEmpty)
                await #expect(throws: IdentityError.invalidProviderToken) { try await verify(token, from: .google, on: world.a) }
                #expect(try await world.a.events("provider_token_refused", count: 2).map(\.reason) == ["replayed", "expired"])
            }
        }

        @Test func `a hundred uses at once are one first use`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let token = try issuer.token(TestIssuer.appleClaims())
                let copies = world.copies
                let count = await withTaskGroup(of: Bool.self) { group in
                    for index in 0..<100 {
                        group.addTask { (try? await verify(token, on: copies[index % 2])) != nil }
                    }
                    return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(count == 100)
                #expect(try await world.a.keyspace().keys("it:").count == 1)
            }
        }

        @Test func `a token that led to nothing can be given back`() async throws {
            try await World.run { world in
                let token = try issuer.token(TestIssuer.appleClaims())
                let verifiedToken = try await verify(token, on: world.a)
                try await world.a.run { try await Self.giveBack(verifiedToken, $0) }
                try await world.pass(.seconds(300))
                #expect(try await verify(token, on: world.a).digest == verifiedToken.digest)
            }
        }

        private static func giveBack(_ verifiedToken: VerifiedIDToken, _ parts: IdentityParts) async throws {
            guard let mark = verifiedToken.replayMark else { return }
            try await ReplayMemory(redis: parts.redis, clock: .callers).forget(verifiedToken, by: mark)
        }

        @Test func `only who made the mark gives a token back, and nobody once another has used it`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                // A sign-in, and the ten tries of a thief within the grace, which all lead to nothing.
                let token = try issuer.token(TestIssuer.appleClaims())
                let first = try await verify(token, on: world.a)
                for copy in world.copies {
                    let again = try await verify(token, on: copy)
                    #expect(again.replayMark == nil)
                    try await copy.run { try await Self.giveBack(again, $0) }
                }
                // And even the first one cannot: what it has opened for others is open.
                try await world.a.run { try await Self.giveBack(first, $0) }
                try await world.pass(.seconds(31))
                await #expect(throws: IdentityError.invalidProviderToken) { try await verify(token, on: world.b) }
                // A mark that has been given back is made anew, by somebody else.
                let other = try issuer.token(TestIssuer.appleClaims(JSONObject(["sub": "other"])))
                let maker = try await verify(other, on: world.a)
                try await world.a.run { try await Self.giveBack(maker, $0) }
                _ = try await verify(other, on: world.b)
                try await world.a.run { try await Self.giveBack(maker, $0) }
                try await world.pass(.seconds(31))
                await #expect(throws: IdentityError.invalidProviderToken) { try await verify(other, on: world.b) }
            }
        }

        @Test func `an access token that came along must be the one of at_hash`() async throws {
            try await World.run { world in
                let hash = Base64URL.encode(Array(SHA256.hash("ya29.mine").bytes.prefix(16)))
                func verify(_ claims: JSONObject, with accessToken: String?) async throws {
                    let (issuer, token) = (issuer, try issuer.token(claims))
                    try await world.a.run { parts in
                        _ = try await Self.federation(parts, issuer).verify(
                            token, from: .google, nonce: nil, accessToken: accessToken.map { SecretString($0) },
                            caller: Copy.caller)
                    }
                }
                func claims(_ hash: JSONValue, _ id: String) -> JSONObject {
                    TestIssuer.googleClaims(JSONObject(["at_hash": hash, "jti": .string(id)]))
                }
                try await verify(claims(.string(hash), "a"), with: "ya29.mine")
                try await verify(claims(.string(hash), "b"), with: nil)
                try await verify(claims(nil, "c"), with: "ya29.any")
                for (number, wrong) in [JSONValue.string(hash), "", 7, ["x"]].enumerated() {
                    await #expect(throws: IdentityError.invalidProviderToken) {
                        try await verify(claims(wrong, "\(number)"), with: "ya29.foreign")
                    }
                }
                #expect(
                    try await world.a.events("provider_token_refused", count: 4).map(\.reason)
                        == Array(repeating: "wrong_access_token_hash", count: 4))
            }
        }

        private static func federation(_ parts: IdentityParts, _ issuer: TestIssuer) -> Federation {
            let key = issuer.jwk
            return Federation(
                providers: [TestIssuer.apple, TestIssuer.google],
                keys: { keyID, _ in keyID == TestIssuer.keyID ? .key(key) : .unknownKey },
                replays: ReplayMemory(redis: parts.redis, clock: .callers), limiter: parts.limiter, audit: parts.audit,
                metrics: parts.metrics, system: parts.accounts.system)
        }

        @Test func `a refused token leaves nothing but its reason in the audit log`() async throws {
            try await World.run { world in
                let token = try issuer.token(TestIssuer.appleClaims(JSONObject(["aud": "com.x.app.dev"])))
                await #expect(throws: IdentityError.invalidProviderToken) { try await verify(token, on: world.a) }
                let event = try #require(try await world.a.events("provider_token_refused").first)
                #expect(event.outcome == "refused")
                #expect(event.reason == "wrong_audience")
                #expect(event.actor == "anonymous")
                #expect(event.address == "192.0.2.7")
                #expect(event.referenceID == "request-1")
                let details = try await world.a.auditDetails("provider_token_refused")
                #expect(details.first?["provider"] == "apple")
                #expect(details.first?["explanation"] == "aud is com.x.app.dev, configured are com.x.app, com.x.app.web")
                #expect(try await world.a.keyspace().keys("it:").isEmpty)
                #expect(!world.logged.contains(token.revealedText))
                #expect(!"\(details)".contains(token.revealedText))
            }
        }

        @Test func `a provider that is not switched on is not there`() async throws {
            try await World.run { world in
                let acme = try #require(ProviderID("acme"))
                let token = try issuer.token(TestIssuer.appleClaims())
                await #expect(throws: IdentityError.unknownProvider) { try await verify(token, from: acme, on: world.a) }
            }
        }

        @Test func `without the keys nothing is decided, and the token stays good`() async throws {
            try await World.run { world in
                let token = try issuer.token(TestIssuer.appleClaims())
                lookup.withLock { $0 = .unavailable(retryAfter: .seconds(7)) }
                await #expect(throws: IdentityError.unavailable(retryAfter: .seconds(7))) { try await verify(token, on: world.a) }
                let key = issuer.jwk
                lookup.withLock { $0 = .key(key) }
                _ = try await verify(token, on: world.a)
                #expect(try await world.a.recordedEvents().isEmpty)
            }
        }

        @Test func `without Redis no token is taken, and a forged one is still refused`() async throws {
            try await World.run({ $0.patience = .seconds(2) }) { world in
                let good = try issuer.token(TestIssuer.appleClaims())
                let forged = try issuer.token(TestIssuer.appleClaims(), key: issuer.stranger)
                world.redis.stop()
                await #expect(throws: IdentityError.unavailable(retryAfter: .seconds(1))) { try await verify(good, on: world.a) }
                await #expect(throws: IdentityError.invalidProviderToken) { try await verify(forged, on: world.a) }
            }
        }

        @Test func `what becomes of tokens is counted by provider`() async throws {
            try await World.run { world in
                _ = try await verify(issuer.token(TestIssuer.appleClaims()), on: world.a)
                _ = try await verify(issuer.token(TestIssuer.googleClaims()), from: .google, on: world.a)
                await #expect(throws: IdentityError.invalidProviderToken) {
                    try await verify(SecretString("x"), from: .google, on: world.a)
                }
                lookup.withLock { $0 = .unavailable(retryAfter: .seconds(1)) }
                await #expect(throws: IdentityError.self) {
                    try await verify(issuer.token(TestIssuer.appleClaims()), on: world.a)
                }
                let counted = await world.a.run { $0.metrics.snapshot.idTokens }
                let outcome = { IdentityMetrics.ProviderOutcome(provider: $0, outcome: $1) }
                #expect(
                    counted == [
                        outcome(.apple, .verified): 1, outcome(.google, .verified): 1, outcome(.google, .refused): 1,
                        outcome(.apple, .unavailable): 1,
                    ])
            }
        }

        @Test func `with real key sets a rotated key is good at its first use, and a name that somebody made up is not`()
            async throws
        {
            try await World.run { world in
                let set = { (names: String...) in
                    let key = issuer.rsa.publicKey
                    return String(
                        decoding: JWKSet(names.map { JWK(key: key, algorithm: .rs256, keyID: $0) }).rendered, as: UTF8.self)
                }
                let sets = try await KeySetWorld.started(set("key-1"))
                let view = sets.parts[0]
                let keys: Federation.KeyLookup = { keyID, provider in await view.key(keyID, of: provider) }
                _ = try await verify(issuer.token(TestIssuer.appleClaims()), on: world.a, keys: keys)
                sets.serve(set("key-1", "key-2"))
                let rotated = try issuer.token(TestIssuer.appleClaims(), header: #"{"kid":"key-2","alg":"RS256"}"#)
                _ = try await verify(rotated, on: world.a, keys: keys)
                for name in 0..<100 {
                    let forged = try issuer.token(
                        TestIssuer.appleClaims(), header: "{\"kid\":\"made-up-\(name)\",\"alg\":\"RS256\"}", key: issuer.stranger)
                    let error = await #expect(throws: IdentityError.self) { try await verify(forged, on: world.a, keys: keys) }
                    // The new key was the first of five reasons to fetch; after those nobody says that a key is none.
                    if name < 4 {
                        #expect(error == .invalidProviderToken)
                    } else if case .service(.unavailable) = error {
                    } else {
                        Issue.record("\(name)")
                    }
                }
                #expect(await sets.count(.succeeded) == 6)
                #expect(try await world.a.events("provider_token_refused", count: 4).allSatisfy { $0.reason == "unknown_key" })
            }
        }
    }
}
