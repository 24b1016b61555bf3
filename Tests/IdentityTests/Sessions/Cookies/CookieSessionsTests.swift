import Redis
import Testing
import Text

@testable import Identity

extension WithStores {
    @Suite struct CookieSessionsTests {
        private static let brief = SessionLifetime(idle: .seconds(1800), absolute: .seconds(43_200))

        private func signIn(
            on copy: Copy, use: CookieUse = .session, lifetime: SessionLifetime = brief, replacing: SecretString? = nil,
            browser: String? = nil
        ) async throws -> CookieSession {
            try await copy.run { parts in
                try await parts.sessions.beginWithCookie(
                    copy.authenticate(), for: parts.app,
                    terms: CookieTerms(use: use, lifetime: lifetime, replacing: replacing, browser: browser), caller: Copy.caller)
            }
        }

        private func touch(
            _ cookie: SecretString, on copy: Copy, use: CookieUse = .session, slides: Bool = true
        ) async throws -> CookieSession? {
            do {
                return try await copy.run { try await $0.sessions.session(of: cookie, use: use, slides: slides) }
            } catch IdentityError.session(.invalidAccessToken) {
                return nil
            }
        }

        private func signOut(_ cookie: SecretString, on copy: Copy) async throws {
            try await copy.run { try await $0.sessions.signOut(cookie, use: .session, caller: Copy.caller) }
        }

        @Test func `signing out in a browser ends what has begun there, and leaves no trace of it`() async throws {
            try await World.run { world in
                _ = try await world.a.signUp()
                let first = try await signIn(on: world.a, use: .browser, browser: "one")
                let elsewhere = try await signIn(on: world.a, use: .browser, browser: "two")
                let last = try await signIn(on: world.a, use: .browser, browser: "one")
                let userID = last.session.userID
                let ended = try await world.a.run { parts in
                    try await parts.sessions.signOut(userID, in: "one", last: last.session, caller: Copy.caller)
                }
                #expect(ended.map(\.id) == [first.session.id, last.session.id])
                for session in [first, last] { #expect(try await touch(session.cookie, on: world.a, use: .browser) == nil) }
                #expect(try await touch(elsewhere.cookie, on: world.a, use: .browser) != nil)
                #expect(try await world.a.keyspace().keys("browser:").count == 1)
            }
        }

        @Test func `the cookie of a session that has expired ends what its user had in the browser before`() async throws {
            try await World.run { world in
                let userID = try await world.a.signUp().id
                func lives(_ session: CookieSession) async throws -> Bool {
                    try await world.a.run { try await $0.sessions.list(of: userID) }.contains { $0.id == session.session.id }
                }
                let first = try await signIn(on: world.a, use: .browser, browser: "one")
                let id = first.session.id
                _ = try await world.a.run { try await $0.sessions.grant(to: $0.app, in: id, refresh: .rotating) }
                world.clock.advance(by: .seconds(1))
                let last = try await signIn(on: world.a, use: .browser, replacing: first.cookie, browser: "one")
                let elsewhere = try await signIn(on: world.a, use: .browser, browser: "two")
                try await world.pass(.seconds(1801))
                #expect(try await touch(last.cookie, on: world.a, use: .browser) == nil)
                #expect(try await lives(first))
                for cookie in [elsewhere.cookie, last.cookie] {
                    let found = try await world.a.run { parts in
                        try await parts.sessions.sessionToSignOut(of: cookie, use: .browser, in: "one", caller: Copy.caller)?
                            .session.id
                    }
                    #expect(found == nil)
                    #expect(try await lives(first) == (cookie.revealedText == elsewhere.cookie.revealedText))
                }
            }
        }

        @Test func `a cookie session lives idle for so long, and every use puts that off`() async throws {
            try await World.run { world in
                _ = try await world.a.signUp()
                let begun = try await signIn(on: world.a)
                #expect(begun.idleEnd == world.clock.now.adding(.seconds(1800)))
                for _ in 1...10 {
                    world.clock.advance(by: .seconds(1799))
                    let touched = try #require(try await touch(begun.cookie, on: world.a))
                    #expect(touched.cookie.revealedText == begun.cookie.revealedText)
                    #expect(touched.idleEnd == world.clock.now.adding(.seconds(1800)))
                    #expect(touched.session.absoluteEnd == begun.session.absoluteEnd)
                }
                world.clock.advance(by: .seconds(1800))
                #expect(try await touch(begun.cookie, on: world.a) == nil)
                #expect(try await touch(begun.cookie, on: world.a, slides: false) == nil)
            }
        }

        @Test func `no use puts off the absolute end`() async throws {
            try await World.run { world in
                _ = try await world.a.signUp()
                let begun = try await signIn(on: world.a)
                for _ in 1...28 {
                    world.clock.advance(by: .seconds(1500))
                    #expect(try await touch(begun.cookie, on: world.a) != nil)
                }
                let last = try #require(try await touch(begun.cookie, on: world.a))
                #expect(last.idleEnd == begun.session.absoluteEnd)
                world.clock.advance(by: .seconds(1199))
                #expect(try await touch(begun.cookie, on: world.a) != nil)
                world.clock.advance(by: .seconds(1))
                #expect(try await touch(begun.cookie, on: world.a) == nil)
                #expect(try await touch(begun.cookie, on: world.a, slides: false) == nil)
            }
        }

        @Test func `Redis forgets it then too`() async throws {
            try await World.run { world in
                _ = try await world.a.signUp()
                let begun = try await signIn(on: world.a)
                try await world.pass(.seconds(1700))
                #expect(try await touch(begun.cookie, on: world.a) != nil)
                try await world.pass(.seconds(1700))
                #expect(try await world.a.keyspace().items.contains { $0.key == SessionRecord.key(begun.session.id) })
                try await world.pass(.seconds(101))
                #expect(try await !world.a.keyspace().items.contains { $0.key == SessionRecord.key(begun.session.id) })
                #expect(try await touch(begun.cookie, on: world.a) == nil)
            }
        }

        @Test func `a look that is no use puts nothing off`() async throws {
            try await World.run { world in
                _ = try await world.a.signUp()
                let begun = try await signIn(on: world.a)
                world.clock.advance(by: .seconds(1000))
                let seen = try #require(try await touch(begun.cookie, on: world.a, slides: false))
                #expect(seen.idleEnd == begun.idleEnd)
                world.clock.advance(by: .seconds(800))
                #expect(try await touch(begun.cookie, on: world.a, slides: false) == nil)
                #expect(try await touch(begun.cookie, on: world.a) == nil)
            }
        }

        @Test func `a touch beside a sign-out never revives the session`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                _ = try await world.a.signUp()
                for _ in 1...20 {
                    let begun = try await signIn(on: world.a)
                    try await withThrowingTaskGroup { group in
                        for number in 0..<60 {
                            let copy = world.copies[number % 2]
                            group.addTask {
                                if number == 30 {
                                    try await self.signOut(begun.cookie, on: copy)
                                } else {
                                    _ = try await self.touch(begun.cookie, on: copy)
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                    #expect(try await touch(begun.cookie, on: world.a) == nil)
                    let now = world.clock.now
                    let record = try await world.a.run {
                        try await SessionStore(redis: $0.redis, policy: .standard, clock: .callers).record(
                            begun.session.id, at: now)
                    }
                    guard case .ended(let tombstone) = record else {
                        Issue.record("it is not ended")
                        continue
                    }
                    #expect(tombstone.reason == .signedOut)
                }
            }
        }

        @Test func `a touch writes nothing where there is nothing`() async throws {
            try await World.run { world in
                let touched = try await world.a.run {
                    try await SessionStore(redis: $0.redis, policy: .standard, clock: .callers).touch(
                        Sample.sessionID, at: Sample.now)
                }
                #expect(touched == nil)
                #expect(try await world.a.keyspace().items.isEmpty)
            }
        }

        @Test func `the cookie of one kind of client is none for the other`() async throws {
            try await World.run { world in
                _ = try await world.a.signUp()
                let begun = try await signIn(on: world.a, use: .restAuth)
                #expect(try await touch(begun.cookie, on: world.a, use: .session) == nil)
                #expect(try await touch(begun.cookie, on: world.a, use: .restAuth) != nil)
                try await signOut(begun.cookie, on: world.a)
                #expect(try await touch(begun.cookie, on: world.a, use: .restAuth) != nil)
            }
        }

        @Test func `a session of tokens has no cookie, whoever makes one up`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let key = try SessionTokenKey(world.masterKey)
                let forged = SessionCookie(member.sessionID, use: .session, salt: member.tokens.session.salt, key: key)
                #expect(try await touch(forged.text, on: world.a) == nil)
                try await signOut(forged.text, on: world.a)
                #expect(try await world.a.isActive(member.accessToken))
            }
        }

        @Test func `signing out finishes what was left, and takes a cookie however old`() async throws {
            try await World.run { world in
                _ = try await world.a.signUp()
                let begun = try await signIn(on: world.a, use: .browser)
                func toSignOut(_ use: CookieUse = .browser) async throws -> SessionID? {
                    try await world.a.run { parts in
                        try await parts.sessions.sessionToSignOut(
                            of: begun.cookie, use: use, in: "browser", caller: Copy.caller)?.session.id
                    }
                }
                world.clock.advance(by: .seconds(3600))
                #expect(try await touch(begun.cookie, on: world.a, use: .browser) == nil)
                #expect(try await toSignOut() == begun.session.id)
                #expect(try await toSignOut(.session) == nil)
                // As if the process had been killed: its access token is not deleted yet.
                let tokens = try await world.a.run { parts in
                    let tokens = try await parts.sessions.grant(
                        to: parts.app, in: begun.session.id, refresh: .rotating, terms: GrantTerms())
                    _ = try await parts.sessions.store.end(
                        begun.session.id, reason: .signedOut, isRecorded: true, at: Sample.now)
                    return tokens
                }
                #expect(try await world.a.isActive(tokens.accessToken))
                #expect(try await toSignOut() == nil)
                #expect(try await !world.a.isActive(tokens.accessToken))
            }
        }

        @Test(arguments: [(hasCookie: true, browser: "one"), (false, "one"), (true, "two")])
        func `signing in again in a browser finishes what was left`(hasCookie: Bool, browser: String) async throws {
            try await World.run { world in
                _ = try await world.a.signUp()
                let begun = try await signIn(on: world.a, use: .browser, browser: "one")
                let id = begun.session.id
                // As if the process had been killed: its access token is not deleted yet.
                let tokens = try await world.a.run { parts in
                    let tokens = try await parts.sessions.grant(to: parts.app, in: id, refresh: .rotating)
                    _ = try await parts.sessions.store.end(id, reason: .signedOut, isRecorded: true, at: Sample.now)
                    return tokens
                }
                #expect(try await world.a.isActive(tokens.accessToken))
                _ = try await signIn(
                    on: world.a, use: .browser, replacing: hasCookie ? begun.cookie : nil, browser: browser)
                #expect(try await !world.a.isActive(tokens.accessToken))
            }
        }

        @Test func `a new sign-in ends the session whose cookie it replaces`() async throws {
            try await World.run { world in
                _ = try await world.a.signUp()
                let first = try await signIn(on: world.a)
                let second = try await signIn(on: world.a, replacing: first.cookie)
                #expect(second.session.id != first.session.id)
                #expect(try await touch(first.cookie, on: world.a) == nil)
                #expect(try await touch(second.cookie, on: world.a) != nil)
                await #expect(throws: IdentityError.invalidCredentials) {
                    try await world.a.authenticate(Copy.email, "wrong")
                }
                #expect(try await touch(second.cookie, on: world.a) != nil)
            }
        }

        @Test func `it is one of the user's sessions, and ends with them`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let begun = try await signIn(on: world.a)
                let listed = try await world.a.run { try await $0.sessions.list(of: member.id) }
                #expect(listed.contains { $0.id == begun.session.id && $0.isHeldByCookie })
                try await world.a.run {
                    try await $0.sessions.signOutEverywhere(
                        member.id, from: begun.session.id, keepingIt: true, caller: Copy.caller)
                }
                #expect(try await touch(begun.cookie, on: world.a) != nil)
                #expect(try await !world.a.isActive(member.accessToken))
                world.clock.advance(by: .seconds(1))
                try await world.a.run {
                    try await $0.sessions.signOutEverywhere(
                        member.id, from: begun.session.id, keepingIt: false, caller: Copy.caller)
                }
                #expect(try await touch(begun.cookie, on: world.a) == nil)
                #expect(try await world.a.run { try await $0.sessions.list(of: member.id) }.isEmpty)
                let events = try await world.a.events("all_sessions_ended", count: 2)
                #expect(events.map(\.reason) == ["revoked", "signed_out"])
            }
        }

        @Test func `barring the user ends it`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let begun = try await signIn(on: world.a)
                try await world.a.run { try await $0.accounts.disable(member.id, caller: Copy.caller) }
                #expect(try await touch(begun.cookie, on: world.a) == nil)
                await #expect(throws: IdentityError.invalidCredentials) { try await signIn(on: world.a) }
            }
        }

        @Test func `its record stays small`() async throws {
            try await World.run { world in
                _ = try await world.a.signUp()
                let begun = try await signIn(on: world.a)
                let length = try await world.a.run {
                    try await $0.redis.send(RedisCommand("STRLEN", SessionRecord.key(begun.session.id))).integerValue
                }
                #expect(length.map { (1...256).contains($0) } == true)
                #expect(try await world.a.keyspace().items.allSatisfy { !$0.text.contains(begun.cookie.revealedText) })
            }
        }
    }
}
