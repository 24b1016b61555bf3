import JOSE
import Testing
import Text

@testable import Identity

@Suite struct CustomClaimsTests {
    @Test(arguments: ["sub", "iss", "aud", "exp", "auth_time", "nonce", "at_hash", "firebase", "scope", "sid", "email_verified"])
    func `a reserved name is refused`(name: String) {
        #expect(throws: CustomClaims.Refusal.reserved(name: name)) { try CustomClaims(json: #"{"a":1,"\#(name)":"x"}"#) }
    }

    @Test func `claims have a limit in bytes`() throws {
        // With a name of one letter, 1000 bytes of JSON; with white space, which does not count.
        let value = String(repeating: "x", count: 992)
        #expect(try CustomClaims(json: #" {"a":"\#(value)"} "#).object.count == 1)
        #expect(throws: CustomClaims.Refusal.tooLarge(maximum: 1000)) { try CustomClaims(json: #"{"ab":"\#(value)"}"#) }
    }

    @Test(arguments: ["", "[]", "null", "\"x\"", "{", #"{"a":1,"a":2}"#])
    func `what is no object is refused`(text: String) {
        #expect(throws: CustomClaims.Refusal.notAnObject) { try CustomClaims(json: text) }
    }

    @Test func `roles are names, each once, and not too many`() throws {
        #expect(try Roles(["admin", "org:7/editor", "admin"]).names == ["admin", "org:7/editor"])
        #expect(throws: Roles.Refusal.malformed("a b")) { try Roles(["a b"]) }
        #expect(throws: Roles.Refusal.malformed("")) { try Roles([""]) }
        #expect(throws: Roles.Refusal.tooMany(maximum: 2)) { try Roles(["a", "b", "c"], limit: 2) }
    }
}

extension WithStores {
    @Suite struct TokenContentTests {
        @Test func `claims and roles are the user's, and each change is on record`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let id = member.id
                let claims = try CustomClaims(json: #"{"plan":"gold","limits":[1,2],"roles":"owner"}"#)
                let roles = try Roles(["admin", "editor"])
                try await world.a.run {
                    _ = try await $0.administration.setClaims(claims, of: id)
                    _ = try await $0.administration.setRoles(roles, of: id)
                }
                let user = try await world.a.user(id)
                #expect(user.claims["plan"] == "gold" && user.claims["limits"] == [1, 2] && user.claims["roles"] == "owner")
                #expect(user.claims.count == 3 && user.roles == ["admin", "editor"])
                // The session that there was says so from its next token on.
                let next = try await world.a.refresh(member.refreshToken)
                let said = try await world.a.run {
                    try #require($0.keys.value).claims(ofAccessToken: next.accessToken.revealedText)
                }
                #expect(said["plan"] == "gold" && said["limits"] == [1, 2] && said["roles"] == ["admin", "editor"])
                #expect(try await world.a.events("user_claims_changed", "user_roles_changed", count: 2).count == 2)
            }
        }

        @Test func `when all sessions end, tokens from before are void, and that never goes back`() async throws {
            try await World.run { world in
                let id = try await world.a.signUp().id
                #expect(try await world.a.user(id).tokensValidAfter == nil)
                world.clock.advance(by: .milliseconds(60_700))
                try await world.a.run { try await $0.administration.signOut(id) }
                let second = Timestamp(milliseconds: (Sample.now.milliseconds + 60_700) / 1000 * 1000)
                // In whole seconds: a sign-in in the same second is good.
                #expect(try await world.a.user(id).tokensValidAfter == second)
                let earlier = Sample.now
                try await world.a.run { parts in
                    try await parts.accounts.changes.change(id, ending: .none) { held throws(IdentityError) in
                        try await held.voidTokens(before: earlier)
                    }
                }
                #expect(try await world.a.user(id).tokensValidAfter == second)
                let member = try await world.a.signIn()
                world.clock.advance(by: .seconds(60))
                // A session that stays and has ID tokens has some from before.
                try await world.a.run { parts in
                    let ending = SessionsToEnd.all(.passwordChanged, except: member.sessionID, keepingIDTokens: true)
                    try await parts.accounts.changes.change(id, ending: ending) { _ in }
                }
                #expect(try await world.a.user(id).tokensValidAfter == second)
                // Of any other that stays nobody compares the time.
                try await world.a.run {
                    try await $0.accounts.replacePassword(
                        of: id, with: SecretString("staple horse battery correct"), keeping: member.sessionID, caller: Copy.caller
                    )
                }
                #expect(try await world.a.user(id).tokensValidAfter == second.adding(.seconds(60)))
                #expect(try await world.a.isActive(member.accessToken))
            }
        }

        @Test func `a user without an address has tokens that name none`() async throws {
            try await World.run { world in
                let id = Sample.userID
                let member = try await world.a.run {
                    let user = try await $0.users.insert(
                        User(id: id, email: nil, isAnonymous: true, createdAt: Sample.now, updatedAt: Sample.now),
                        passwordHash: nil)
                    let authentication = Authentication(of: user, by: [.password], at: Sample.now, occasion: .continued)
                    return try await $0.sessions.begin(authentication, for: $0.app, caller: Copy.caller)
                }
                let user = try await world.a.user(id)
                #expect(user.email == nil && user.isAnonymous && user.account == "user:\(id)")
                let claims = try await world.a.run {
                    try #require($0.keys.value).claims(ofAccessToken: member.accessToken.revealedText)
                }
                #expect(claims["email"] == nil && claims["email_verified"] == nil)
                #expect(try await world.a.run { try await $0.administration.data(of: id) }["user"]?["email"] == .null)
            }
        }

        @Test func `ids of other systems are found both ways, and each is one user's`() async throws {
            try await World.run { world in
                let (anna, berta) = (try await world.a.signUp().id, try await world.a.signUp("berta@town.example").id)
                let alias = try #require(UserAlias(source: "firebase", id: "jZ3pQ"))
                let other = try #require(UserAlias(source: "firebase", id: "other"))
                let aliases = UserAliases(pool: world.a.parts.users.pool)
                let added = try await world.a.run { _ in
                    [
                        try await aliases.add(alias, to: anna), try await aliases.add(alias, to: berta),
                        try await aliases.add(other, to: anna),
                    ]
                }
                #expect(added == [true, false, false])
                let found = try await world.a.run { _ in (try await aliases.user(alias), try await aliases.user(other)) }
                #expect(found == (anna, nil))
                #expect(try await world.a.run { _ in try await aliases.aliases(of: anna) } == [alias])
                #expect(
                    try await world.a.run { _ in try await aliases.users(["jZ3pQ", "nobody"], in: "firebase") } == ["jZ3pQ": anna]
                )
                #expect(
                    try await world.a.run { _ in try await aliases.ids(of: [anna, berta], in: "firebase") } == [anna: "jZ3pQ"])
                #expect(UserAlias(source: "", id: "x") == nil && UserAlias(source: "x", id: "a\0") == nil)
            }
        }
    }
}
