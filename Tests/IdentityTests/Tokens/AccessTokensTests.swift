import JOSE
import Postgres
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Access tokens as users present them to us, and as backends verify them by themselves.
    @Suite struct AccessTokensTests {
        private func authenticate(_ token: SecretString, on copy: Copy) async throws -> AuthenticatedUser {
            try await copy.run { try await $0.tokens.authenticate(token, for: .read) }
        }

        @Test(arguments: AccessTokenFormat.allCases)
        func `a good token speaks for its user`(format: AccessTokenFormat) async throws {
            try await World.run({ $0.client = World.app(format: format) }) { world in
                let member = try await world.a.signUp()
                let user = try await authenticate(member.accessToken, on: world.a)
                #expect(user.userID == member.id)
                #expect(user.sessionID == member.sessionID)
                #expect(user.clientID.text == "app")
                for token in [member.refreshToken, SecretString(""), SecretString(member.accessToken.revealedText + "a")] {
                    await #expect(throws: IdentityError.invalidToken) { try await authenticate(token, on: world.a) }
                }
                try await world.pass(.seconds(900))
                await #expect(throws: IdentityError.invalidToken) { try await authenticate(member.accessToken, on: world.a) }
            }
        }

        /// A token of the user that is live, and was issued to this client.
        private func token(of member: Member, for client: Client, on copy: Copy) async throws -> SecretString {
            try await copy.begin(member.user, for: client).accessToken
        }

        private static func client(_ id: String, audience: String = World.audience, scopes: [String]) -> Client {
            Client(
                id: World.clientID(id), name: id, authentication: .publicClient, permissions: [.signIn], audiences: [audience],
                scopes: scopes)
        }

        @Test func `a live token that was issued for something else opens no account`() async throws {
            let account = AccountAccess.scope
            try await World.run { world in
                let member = try await world.a.signUp()
                let own = try await token(of: member, for: Self.client("app", scopes: ["email", account]), on: world.a)
                let others = [
                    Self.client("app", audience: "https://other.example", scopes: [account]),
                    Self.client("other-app", scopes: [account]), Self.client("app", scopes: ["openid", account + "s"]),
                ]
                for access in AccountAccess.allCases {
                    #expect(try await world.a.run { try await $0.tokens.authenticate(own, for: access) }.userID == member.id)
                }
                for other in others {
                    let token = try await token(of: member, for: other, on: world.a)
                    #expect(try await world.a.introspect(token)["active"] == true)
                    for access in AccountAccess.allCases {
                        await #expect(throws: IdentityError.invalidToken) {
                            try await world.a.run { try await $0.tokens.authenticate(token, for: access) }
                        }
                    }
                    for _ in 1...2 {
                        await #expect(throws: IdentityError.invalidToken) {
                            try await world.a.run {
                                try await $0.tokens.signOut(token, lateness: .seconds(86_400), caller: Copy.caller)
                            }
                        }
                        // Once it has expired its claims speak for it.
                        try await world.pass(.seconds(901))
                    }
                }
            }
        }

        @Test func `a token says whether the address is known to be the user's`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                #expect(try await world.a.introspect(member.accessToken)["email_verified"] == false)
                try await world.a.run { parts in
                    _ = try await parts.postgres.query(
                        Statement(name: "test_verify", sql: "UPDATE users SET email_verified = true"))
                }
                let again = try await world.a.signIn()
                let refreshed = try await world.a.refresh(again.refreshToken)
                for token in [again.accessToken, refreshed.accessToken] {
                    #expect(try await world.a.introspect(token)["email_verified"] == true)
                    let claims = try await world.a.run { try #require($0.keys.value).claims(ofAccessToken: token.revealedText) }
                    #expect(claims["email"] == "Anna@Town.example")
                    #expect(claims["email_verified"] == true)
                    #expect(claims["scope"] == "openid email profile account")
                }
            }
        }

        @Test func `of several sign-outs at once with one good token each succeeds, and the session ends once`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let (loop, parts) = (world.a.loop, world.a.parts)
                // In one turn of the loop: each finds the token good before any of them ends the session.
                try await world.a.run { _ in
                    try await withThrowingTaskGroup { group in
                        for _ in 0..<20 {
                            group.addTask(executorPreference: loop) {
                                try await parts.tokens.signOut(member.accessToken, lateness: .zero, caller: Copy.caller)
                            }
                        }
                        try await group.waitForAll()
                    }
                }
                await #expect(throws: IdentityError.invalidToken) {
                    try await parts.tokens.signOut(member.accessToken, lateness: .zero, caller: Copy.caller)
                }
                #expect(try await world.a.run { try await $0.tokens.endedSession(of: member.accessToken) } == member.sessionID)
                #expect(try await world.a.run { try await $0.tokens.endedSession(of: member.refreshToken) } == nil)
                #expect(try await world.a.events("session_ended").count == 1)
            }
        }

        @Test(arguments: [AccessTokenFormat.jwtES256, .jwtRS256])
        func `a token can be verified with the published keys, and has the claims of RFC 9068`(
            format: AccessTokenFormat
        ) async throws {
            try await World.run({ $0.client = World.app(format: format) }) { world in
                let member = try await world.a.signUp()
                world.clock.advance(by: .seconds(100))
                let refreshed = try await world.a.refresh(member.refreshToken)
                let published = try await world.a.run { try JWKSet.parse(try #require($0.keys.value).rendered) }
                #expect(published.skipped.isEmpty)
                let algorithm = try #require(format.algorithm)
                let verified = try UnverifiedJWS.parse(refreshed.accessToken.revealedText)
                    .verify(with: published, allowing: [algorithm])
                #expect(verified.header.isType("at+jwt"))
                let claims = try verified.claims()
                #expect(claims.issuer == World.issuer)
                #expect(claims.audience == [World.audience])
                #expect(claims.subject == "\(member.id)")
                #expect(claims.issuedAt == Timestamp(seconds: Sample.now.seconds + 100))
                #expect(claims.expiresAt == Timestamp(seconds: Sample.now.seconds + 1000))
                #expect(try claims.string("client_id") == "app")
                #expect(try claims.string("sid") == member.sessionID.text)
                #expect(claims["auth_time"] == .integer(Sample.now.seconds))
                #expect(try claims.string("userId") == "\(member.id)")
                #expect(try claims.string("email") == "Anna@Town.example")
                // The same id as introspection gives.
                #expect(try await world.a.introspect(refreshed.accessToken)["jti"]?.stringValue == claims.jwtID)
            }
        }

        @Test func `an opaque token means nothing to its holder`() async throws {
            try await World.run({ $0.client = World.app(format: .opaque) }) { world in
                let member = try await world.a.signUp()
                let text = member.accessToken.revealedText
                #expect(text.hasPrefix("kda_"))
                #expect(Base64URL.decode(text.dropFirst(4))?.count == 32)
                #expect(try await world.a.refresh(member.refreshToken).accessToken.revealedText != text)
            }
        }

        @Test func `a token that is signed by us and was never stored is none`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let signed = try await world.a.run { parts in
                    let session = try #require(try await parts.sessions.list(of: member.id).first)
                    let grant = try #require(session.grants.first)
                    return try parts.sessions.issuer.mint(for: grant, of: session, client: parts.app, at: Sample.now).text
                }
                #expect(try await !world.a.isActive(signed))
                await #expect(throws: IdentityError.invalidToken) { try await authenticate(signed, on: world.a) }
            }
        }
    }
}
