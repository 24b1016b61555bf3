import Crypto
import JOSE
import Redis
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Two copies, of which the second is an hour ahead unless said otherwise: what the one has begun, the other takes for what it is.
    @Suite struct DifferentClocksTests {
        private static let hour = Duration.seconds(3600)

        /// A session of a cookie that lives half an hour after its last use.
        private func cookie(on copy: Copy, idle: Duration = .seconds(1800)) async throws -> CookieSession {
            try await copy.run { parts in
                try await parts.sessions.beginWithCookie(
                    copy.authenticate(), for: parts.app,
                    terms: CookieTerms(use: .session, lifetime: SessionLifetime(idle: idle, absolute: .seconds(7200))),
                    caller: Copy.caller)
            }
        }

        private func look(_ cookie: CookieSession, on copy: Copy, slides: Bool) async throws -> CookieSession? {
            do {
                return try await copy.run { try await $0.sessions.session(of: cookie.cookie, use: .session, slides: slides) }
            } catch IdentityError.session(.invalidAccessToken) {
                return nil
            }
        }

        /// Makes what a session's record says of a moment older.
        private func age(
            _ instant: StoredInstant, of session: SessionID, by duration: Duration, on copy: Copy
        ) async throws {
            try await copy.run { try await $0.sessions.store.age(instant, of: session, by: duration) }
        }

        @Test func `a cookie lives as long at either, wherever it was given`() async throws {
            try await World.runApart(by: Self.hour) { world in
                _ = try await world.a.signUp()
                for giver in world.copies {
                    let begun = try await cookie(on: giver)
                    for copy in world.copies {
                        let seen = try #require(try await look(begun, on: copy, slides: false))
                        #expect(seen.idleEnd == begun.idleEnd)
                        #expect(seen.session.absoluteEnd == begun.session.absoluteEnd)
                        #expect(seen.session.createdAt == begun.session.createdAt)
                    }
                    for copy in world.copies + world.copies {
                        let used = try #require(try await look(begun, on: copy, slides: true))
                        #expect(used.idleEnd.duration(since: .now()) > .seconds(1740))
                        #expect(used.idleEnd.duration(since: .now()) <= .seconds(1800))
                        #expect(used.session.ownAbsoluteEnd > begun.session.createdAt)
                    }
                }
            }
        }

        @Test func `a cookie that nobody has used ends at both, of which one is behind`() async throws {
            try await World.runApart(by: .zero - Self.hour) { world in
                _ = try await world.a.signUp()
                for giver in world.copies {
                    let begun = try await cookie(on: giver)
                    try await age(.used, of: begun.session.id, by: .seconds(1801), on: giver)
                    for copy in world.copies {
                        #expect(try await look(begun, on: copy, slides: false) == nil)
                        #expect(try await look(begun, on: copy, slides: true) == nil)
                    }
                }
            }
        }

        @Test func `introspection says of a refresh token what a refresh would, at either`() async throws {
            let policy = RefreshPolicy(grace: .seconds(60), recovery: .seconds(1800))
            try await World.runApart(by: Self.hour, { $0.policy = policy }) { world in
                let member = try await world.a.signUp()
                let successor = try await world.a.refresh(member.refreshToken).refreshToken
                for copy in world.copies {
                    #expect(try await copy.active([member.refreshToken, successor]) == [true, true])
                }
                try await age(.rotated, of: member.sessionID, by: .seconds(1801), on: world.a)
                for copy in world.copies {
                    #expect(try await copy.active([member.refreshToken, successor]) == [false, true])
                }
            }
        }

        @Test func `whichever copy signs, its tokens are dated by the clock that both share`() async throws {
            for ahead in [Self.hour, .zero - Self.hour] {
                try await World.runApart(by: ahead) { world in
                    let copies = world.copies
                    for (begins, refreshes) in [(copies[0], copies[1]), (copies[1], copies[0])] {
                        let member = try await begins.signUp("\(begins === world.a ? "a" : "b")@town.example")
                        let refreshed = try await refreshes.refresh(member.refreshToken)
                        let further = try await refreshes.run { parts in
                            try await parts.sessions.issue(in: refreshed.session, client: parts.app) { facts in
                                SecretString("further \(facts.tokenID)")
                            }
                        }
                        for token in [member.accessToken, refreshed.accessToken, further.text] {
                            let answer = try await world.a.introspect(token)
                            // Of the first copy's clock, which Redis shares.
                            let now = Timestamp.now().seconds
                            let issued = try #require(answer["iat"]?.integerValue)
                            #expect((now - 600...now + 1).contains(issued))
                            #expect(answer["nbf"]?.integerValue == issued)
                            let expiry = try #require(answer["exp"]?.integerValue)
                            #expect((899...901).contains(expiry - issued))
                        }
                        for token in [member.accessToken, refreshed.accessToken] {
                            let claims = try await world.a.run {
                                try #require($0.keys.value).claims(ofAccessToken: token.revealedText)
                            }
                            let signedIn = try #require(claims["auth_time"]?.integerValue)
                            #expect((Timestamp.now().seconds - 600...Timestamp.now().seconds + 1).contains(signedIn))
                            let answer = try await world.a.introspect(token)
                            for name in ["iat", "nbf", "exp"] { #expect(claims[name] == answer[name]) }
                        }
                    }
                }
            }
        }

        @Test func `no access token outlives its session, and none is born dead`() async throws {
            let brief = SessionLifetime(idle: .seconds(600), absolute: .seconds(600))
            try await World.runApart(by: Self.hour, { $0.client = World.app(lifetime: brief) }) { world in
                let copies = world.copies
                for (begins, refreshes) in [(copies[0], copies[1]), (copies[1], copies[0])] {
                    let member = try await begins.signUp("\(begins === world.a ? "a" : "b")@town.example")
                    let token = try await refreshes.refresh(member.refreshToken).accessToken
                    let key = AccessTokenHash(of: token.revealedText).key
                    let life = try #require(try await world.a.keyspace().items.first { $0.key == key }).life
                    #expect((540_000...600_000).contains(life))
                }
            }
        }

        @Test func `a sign-in is recent, or is not, at either`() async throws {
            try await World.runApart(by: Self.hour) { world in
                for begins in world.copies {
                    let member = try await begins.signUp("\(begins === world.a ? "a" : "b")@town.example")
                    func requireRecent(on copy: Copy) async throws {
                        try await copy.run {
                            try await $0.accounts.requireRecentSignIn(
                                of: member.id, session: member.sessionID, caller: Copy.caller)
                        }
                    }
                    func changePassword(on copy: Copy) async throws {
                        try await copy.run {
                            try await $0.accounts.changePassword(
                                of: member.id, in: member.sessionID, from: nil, to: SecretString("another lantern at dusk"),
                                caller: Copy.caller)
                        }
                    }
                    for copy in world.copies {
                        try await requireRecent(on: copy)
                        try await changePassword(on: copy)
                    }
                    try await age(.authenticated, of: member.sessionID, by: .seconds(301), on: begins)
                    for copy in world.copies {
                        await #expect(throws: IdentityError.recentSignInRequired) { try await requireRecent(on: copy) }
                        await #expect(throws: IdentityError.recentSignInRequired) { try await changePassword(on: copy) }
                    }
                }
            }
        }

        /// How long a guess has to wait that counts no more; nil for one that does.
        private func delay(at email: String, on copy: Copy) async throws -> Duration? {
            do {
                _ = try await copy.run { parts in
                    try await parts.accounts.authenticate(
                        password: SignInAttempt(.email(email), passwords: [SecretString("a guess")]), client: parts.app,
                        caller: Copy.caller)
                }
                return nil
            } catch IdentityError.service(.tooManyRequests(let wait)) {
                return wait
            }
        }

        @Test func `attempts count alike at both`() async throws {
            let limits = LimitSettings.only((.signInAccount, Budget(2, per: .seconds(1800))))
            try await World.runApart(by: Self.hour, { $0.limits = limits }) { world in
                for first in world.copies {
                    let email = "\(first === world.a ? "a" : "b")@town.example"
                    #expect(try await first.guess(2, at: email) == [.refused, .refused])
                    for copy in world.copies + world.copies {
                        let delay = try #require(try await delay(at: email, on: copy))
                        #expect(delay > .seconds(840) && delay <= .seconds(900))
                    }
                }
            }
        }

        @Test func `who is known at an account is so at both`() async throws {
            var limits = LimitSettings.only((.signInAccount, Budget(1, per: .seconds(7200))))
            limits.knownDeviceLifetime = .seconds(1800)
            let known = limits
            try await World.runApart(by: Self.hour, { $0.limits = known }) { world in
                let email = Copy.email
                _ = try await world.a.signUp()
                for copy in world.copies {
                    #expect(try await copy.attempt(.email(email), password: Copy.password, device: "mine") == .signedIn)
                    #expect(try await world.a.guess(2, from: "198.51.100.9").contains(.limited))
                    for other in world.copies {
                        #expect(try await other.attempt(.email(email), password: Copy.password, device: "mine") == .signedIn)
                    }
                }
            }
        }

        @Test func `a proof is used once, and again for half a minute, wherever`() async throws {
            try await World.runApart(by: Self.hour) { world in
                for (number, copies) in [world.copies, world.copies.reversed()].enumerated() {
                    let verifiedToken = Sample.verifiedToken("user \(number)", expiringAt: Timestamp.now().adding(.seconds(3000)))
                    func admit(on copy: Copy) async throws -> Bool {
                        let now = world.clock.now.adding(copy === world.a ? .zero : Self.hour)
                        return try await copy.run {
                            try await ReplayMemory(redis: $0.redis, clock: .redis).admit(
                                verifiedToken, by: ReplayMark(random: [0, 0, 0, 0, 0, 0, 0, 7]), at: now) != .refused
                        }
                    }
                    #expect(try await admit(on: copies[0]))
                    #expect(try await admit(on: copies[1]))
                    let key = "it:" + verifiedToken.digest.hex
                    let item = try #require(try await world.a.keyspace().items.first { $0.key == key })
                    // Whichever copy has seen it first: until its times refuse it.
                    #expect((3_060_000...3_120_000).contains(item.life))
                    let first = try #require(Int64(item.text.prefix { $0 != "." }))
                    try await world.a.run {
                        _ = try await $0.redis.send(RedisCommand("SET", key, "\(first - 30_100)", "KEEPTTL"))
                    }
                    for copy in copies { #expect(try await !admit(on: copy)) }
                }
            }
        }
    }
}

extension Sample {
    /// What a provider has said of somebody, issued just now.
    fileprivate static func verifiedToken(_ subject: String, expiringAt end: Timestamp) -> VerifiedIDToken {
        VerifiedIDToken(
            provider: .apple, subject: subject, audience: "com.x.app", email: nil, isEmailVerified: false,
            isEmailAuthoritative: false, isPrivateEmail: false, name: nil, pictureURL: nil, issuedAt: .now(), expiresAt: end,
            digest: SHA256.hash(subject), codeHash: nil)
    }
}
