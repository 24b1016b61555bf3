import JOSE
import Redis
import Testing
import Text

@testable import Identity

extension WithStores {
    /// What several clients get from one session.
    @Suite struct GrantTests {
        private static let shop = Client(
            id: World.clientID("shop"), name: "Shop", authentication: .publicClient, permissions: [.signIn],
            audiences: ["https://shop.example"], scopes: ["openid"])

        /// The shop, as the copies know it.
        private func run(
            _ change: @escaping (inout World.Options) -> Void = { _ in }, _ body: (World) async throws -> Void
        ) async throws {
            try await World.run({
                $0.copies = 2
                change(&$0)
            }) { world in
                try await world.a.run { try await $0.clientStore.insert(Self.shop, at: Sample.now) }
                try await body(world)
            }
        }

        /// Of who has signed up.
        private func cookieSession(on copy: Copy) async throws -> CookieSession {
            let authentication = try await copy.authenticate()
            let lifetime = SessionLifetime(idle: .seconds(600), absolute: .seconds(7200))
            return try await copy.run { parts in
                try await parts.sessions.beginWithCookie(
                    authentication, for: parts.app, terms: CookieTerms(use: .session, lifetime: lifetime), caller: Copy.caller)
            }
        }

        private func grant(
            to client: Client = Self.shop, in session: SessionID, refresh: RefreshRotation.Mode? = .rotating,
            terms: GrantTerms = GrantTerms(), on copy: Copy
        ) async throws -> GrantTokens {
            try await copy.run { try await $0.sessions.grant(to: client, in: session, refresh: refresh, terms: terms) }
        }

        private func refresh(
            _ token: SecretString?, for client: Client = Self.shop, on copy: Copy
        ) async throws -> SessionTokens {
            let token = try #require(token)
            return try await copy.run {
                try await $0.sessions.refresh(token, RefreshOptions(for: client.id), caller: Copy.caller)
            }
        }

        /// Which of them are good, whoever asks.
        private func live(_ tokens: [SecretString], on copy: Copy) async throws -> [Bool] {
            var answers: [Bool] = []
            for token in tokens { answers.append(try await copy.introspect(token)["active"] == true) }
            return answers
        }

        @Test func `two grants of one session are refreshed apart`() async throws {
            try await run { world in
                let member = try await world.a.signUp()
                let shop = try await grant(in: member.sessionID, on: world.b)
                let first = try await refresh(shop.refreshToken, on: world.a)
                let app = try await world.b.refresh(member.refreshToken)
                let second = try await refresh(first.refreshToken, on: world.b)
                #expect(first.session.id == member.sessionID && first.grant.clientID == Self.shop.id)
                // The parent is replayed in each by itself.
                let again = try await refresh(first.refreshToken, on: world.a)
                #expect(again.refreshToken.revealedText == second.refreshToken.revealedText)
                #expect(try await world.a.refresh(member.refreshToken).refreshToken.revealedText == app.refreshToken.revealedText)
                let answer = try await world.a.introspect(second.accessToken)
                #expect(answer["client_id"] == "shop" && answer["aud"] == "https://shop.example" && answer["scope"] == "openid")
                #expect(answer["sid"] == .string(member.sessionID.text))
                let session = try #require(try await world.a.run { try await $0.sessions.list(of: member.id) }.first)
                #expect(session.grants.map(\.clientID) == [world.a.parts.app.id, Self.shop.id])
            }
        }

        @Test func `a refresh token is its client's, and its grant's`() async throws {
            try await run { world in
                let member = try await world.a.signUp()
                let shop = try await grant(in: member.sessionID, on: world.a)
                let text = try #require(shop.refreshToken).revealedText
                #expect(text.split(separator: ".").count == 4)
                await #expect(throws: IdentityError.invalidRefreshToken) { try await refresh(member.refreshToken, on: world.a) }
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(SecretString(text)) }
                // Another number, and none.
                var parts = text.split(separator: ".").map { String($0) }
                let number = parts.remove(at: 1)
                for forged in [[parts[0], "7", parts[1], parts[2]], parts, [parts[0], "0", parts[1], parts[2]]] {
                    await #expect(throws: IdentityError.invalidRefreshToken) {
                        try await refresh(SecretString(forged.joined(separator: ".")), on: world.a)
                    }
                }
                #expect(number == "\(shop.grant.id)")
                _ = try await refresh(shop.refreshToken, on: world.a)
            }
        }

        @Test func `whoever revokes a grant keeps the others, and the last one takes the session with it`() async throws {
            try await run { world in
                let member = try await world.a.signUp()
                let shop = try await grant(in: member.sessionID, on: world.a)
                let next = try await refresh(shop.refreshToken, on: world.a)
                try await world.b.run {
                    try await $0.tokens.revoke(next.refreshToken, for: Self.shop, caller: Copy.caller)
                }
                #expect(
                    try await live([shop.accessToken, next.accessToken, member.accessToken], on: world.a) == [false, false, true])
                await #expect(throws: IdentityError.invalidRefreshToken) { try await refresh(next.refreshToken, on: world.a) }
                #expect(try await world.a.events("grant_ended").first?.clientID == "shop")
                _ = try await world.a.refresh(member.refreshToken)
                try await world.b.run {
                    try await $0.tokens.revoke(member.refreshToken, for: $0.app, caller: Copy.caller)
                }
                #expect(try await world.a.run { try await $0.sessions.list(of: member.id) }.isEmpty)
            }
        }

        @Test func `the end of a session ends all that anybody got from it, on another copy at once`() async throws {
            try await run { world in
                let member = try await world.a.signUp()
                var tokens = [member.accessToken]
                for number in 0..<Sessions.grantsOfClient {
                    let copy = world.copies[number % 2]
                    let shop = try await grant(in: member.sessionID, refresh: number < 3 ? .rotating : nil, on: copy)
                    #expect((shop.refreshToken == nil) == (number >= 3))
                    tokens.append(shop.accessToken)
                }
                #expect(try await live(tokens, on: world.b) == tokens.map { _ in true })
                try await world.a.run {
                    try await $0.sessions.end(member.sessionID, of: member.id, reason: .signedOut, caller: Copy.caller)
                }
                #expect(try await live(tokens, on: world.b) == tokens.map { _ in false })
                #expect(try await world.b.liveTokens(of: member.id).isEmpty)
            }
        }

        @Test func `a used refresh token of one grant ends the whole session`() async throws {
            try await run({ $0.policy = .strict }) { world in
                let member = try await world.a.signUp()
                let shop = try await grant(in: member.sessionID, on: world.a)
                let next = try await refresh(shop.refreshToken, on: world.a)
                await #expect(throws: IdentityError.invalidRefreshToken) { try await refresh(shop.refreshToken, on: world.b) }
                #expect(
                    try await live([member.accessToken, shop.accessToken, next.accessToken], on: world.a) == [
                        false, false, false,
                    ])
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(member.refreshToken) }
            }
        }

        @Test func `a grant in a session that is being ended leaves no live token`() async throws {
            try await run { world in
                var member = try await world.a.signUp()
                let (a, b) = (world.a, world.b)
                for round in 0..<60 {
                    let one = member
                    async let granted = try? grant(in: one.sessionID, on: b)
                    async let ended: Void? = try? a.run {
                        try await $0.sessions.end(one.sessionID, of: one.id, reason: .signedOut, caller: Copy.caller)
                    }
                    let (shop, _) = (await granted, await ended)
                    if let shop { #expect(try await live([shop.accessToken], on: world.a) == [false], "round \(round)") }
                    #expect(try await world.a.liveTokens(of: one.id).isEmpty, "round \(round)")
                    await #expect(throws: IdentityError.invalidToken) { try await grant(in: one.sessionID, on: world.b) }
                    member = try await world.a.signIn()
                }
            }
        }

        @Test func `a session that cannot be written grants nothing, and leaves no token`() async throws {
            try await run { world in
                let member = try await world.a.signUp()
                let command = RedisCommand("ACL", "SETUSER", "default", "resetkeys", "~at:*", "~user:*", "%R~session:*")
                _ = try await world.a.run { try await $0.redis.send(command) }
                await #expect(throws: IdentityError.internalFault) { try await grant(in: member.sessionID, on: world.a) }
                try await world.a.permitKeys("*")
                #expect(try await world.a.liveTokens(of: member.id).count == 1)
            }
        }

        @Test func `a client that comes again and again loses what it got first`() async throws {
            try await run { world in
                let member = try await world.a.signUp()
                var tokens: [SecretString] = []
                for number in 0..<(Sessions.grantsOfClient + 2) {
                    tokens.append(try await grant(in: member.sessionID, refresh: nil, on: world.copies[number % 2]).accessToken)
                }
                #expect(try await live(tokens, on: world.b) == tokens.indices.map { $0 >= 2 })
                #expect(try await live([member.accessToken], on: world.b) == [true])
            }
        }

        @Test func `a session has so many grants, and the oldest makes room for one more`() async throws {
            try await run { world in
                let member = try await world.a.signUp()
                var clients: [Client] = []
                for number in 0..<SessionScript.grantCount / Sessions.grantsOfClient {
                    let client = Client(
                        id: World.clientID("shop-\(number)"), name: "Shop", authentication: .publicClient, permissions: [.signIn],
                        audiences: ["https://shop.example"], scopes: ["openid"])
                    try await world.a.run { try await $0.clientStore.insert(client, at: Sample.now) }
                    clients.append(client)
                }
                var tokens: [SecretString] = []
                for number in 0..<SessionScript.grantCount {
                    let client = clients[number % clients.count]
                    let next = try await world.a.run {
                        try await $0.sessions.grant(to: client, in: member.sessionID, refresh: nil)
                    }
                    tokens.append(next.accessToken)
                }
                // The session began with one.
                #expect(try await live(tokens, on: world.b) == tokens.indices.map { $0 >= 1 })
                #expect(try await world.a.liveTokens(of: member.id).count == SessionScript.grantCount)
                let session = try #require(try await world.a.run { try await $0.sessions.list(of: member.id) }.first)
                #expect(session.grants.count == SessionScript.grantCount)
            }
        }

        @Test func `terms of a grant hold for each of its tokens`() async throws {
            try await run { world in
                let market = Client(
                    id: World.clientID("market"), name: "Market", authentication: .publicClient, permissions: [.signIn],
                    audiences: ["https://shop.example", "https://one.example", World.audience], scopes: ["openid"])
                try await world.a.run { try await $0.clientStore.insert(market, at: Sample.now) }
                let key = try #require(KeyConfirmation(.jwkThumbprint, thumbprint: Array(0..<32)))
                let terms = GrantTerms(
                    scopes: ["openid", "email"], audiences: ["https://one.example", World.audience], confirmation: key)
                let member = try await world.a.signUp()
                let first = try await grant(to: market, in: member.sessionID, terms: terms, on: world.a)
                let next = try await refresh(first.refreshToken, for: market, on: world.b)
                for token in [first.accessToken, next.accessToken] {
                    let answer = try await world.a.introspect(token)
                    #expect(answer["aud"] == ["https://one.example", .string(World.audience)])
                    #expect(answer["scope"] == "openid email" && answer["cnf"] == key.json)
                    for audience in ["https://one.example", World.audience] {
                        #expect(try await world.b.introspect(token, audiences: [audience])["active"] == true)
                    }
                    #expect(try await world.b.introspect(token, audiences: ["https://shop.example"]) == ["active": false])
                    // It is for us too, but it was issued to a client that is not ours.
                    await #expect(throws: IdentityError.invalidToken) {
                        try await world.a.run { try await $0.tokens.authenticate(token, for: .read) }
                    }
                    let principal = try await world.a.run { try await $0.tokens.authenticate(token) }
                    #expect(principal.user?.userID == member.id && principal.confirmation == key)
                }
            }
        }

        @Test func `a browser's session grants too, and what is to outlast it has a session of its own`() async throws {
            try await run { world in
                _ = try await world.a.signUp()
                let browser = try await cookieSession(on: world.a)
                #expect(browser.session.grants.isEmpty)
                let shop = try await grant(in: browser.session.id, on: world.b)
                world.clock.advance(by: .seconds(60))
                let offline = try await world.a.run {
                    try await $0.sessions.beginOffline(from: browser.session.id, for: Self.shop, caller: Copy.caller)
                }
                #expect(offline.session.id != browser.session.id)
                #expect(offline.session.authenticatedAt == browser.session.authenticatedAt)
                #expect(offline.session.methods == [.password] && offline.session.cookie?.idleLife == nil)
                try await world.a.run {
                    try await $0.sessions.signOut(browser.cookie, use: .session, caller: Copy.caller)
                }
                #expect(try await live([shop.accessToken, offline.accessToken], on: world.b) == [false, true])
                await #expect(throws: IdentityError.invalidRefreshToken) { try await refresh(shop.refreshToken, on: world.a) }
                _ = try await refresh(offline.refreshToken, on: world.a)
                await #expect(throws: IdentityError.invalidToken) {
                    try await world.a.run {
                        try await $0.sessions.beginOffline(from: browser.session.id, for: Self.shop, caller: Copy.caller)
                    }
                }
            }
        }

        @Test func `what was allowed before all other sessions ended leads to nothing`() async throws {
            try await run { world in
                let member = try await world.a.signUp()
                let browser = try await cookieSession(on: world.a)
                let agreed = world.a.system.now()
                world.clock.advance(by: .seconds(60))
                try await world.a.run {
                    try await $0.sessions.signOutEverywhere(
                        member.id, from: browser.session.id, keepingIt: true, caller: Copy.caller)
                }
                func begin(_ time: Timestamp) async throws -> SessionTokens {
                    try await world.b.run {
                        try await $0.sessions.beginOffline(
                            from: browser.session.id, agreedAt: time, for: Self.shop, caller: Copy.caller)
                    }
                }
                await #expect(throws: IdentityError.invalidToken) { try await begin(agreed) }
                let begun = try await begin(agreed.adding(.seconds(61)))
                #expect(try await live([begun.accessToken], on: world.a) == [true])
            }
        }

        @Test func `an address that is proved while sessions live is proved in tokens from then on`() async throws {
            try await run { world in
                let member = try await world.a.signUp()
                let user = try await world.a.user(member.id)
                try await world.b.verify(try await world.b.verificationCode(of: user))
                #expect(try await world.a.introspect(member.accessToken)["email_verified"] == false)
                let next = try await world.a.refresh(member.refreshToken)
                #expect(try await world.a.introspect(next.accessToken)["email_verified"] == true)
                let claims = try await world.a.run {
                    try #require($0.keys.value).claims(ofAccessToken: next.accessToken.revealedText)
                }
                #expect(claims["email_verified"] == true && claims["amr"] == ["pwd"])
            }
        }
    }
}
