import Testing
import Text

@testable import Identity

extension WithStores {
    /// Signing in with a provider's proof: whose account it opens, and what becomes of it.
    @Suite struct ProviderSignInTests {
        @Test func `rule 5: a new identity makes a user, signed in and described by it`() async throws {
            try await World.run { world in
                var verifiedToken = ProviderProof.google()
                verifiedToken.name = "Anna"
                verifiedToken.pictureURL = "https://photos.example/anna.jpg"
                let (member, isNew) = try await world.a.signIn(verifiedToken)
                #expect(isNew)
                #expect(member.user.email?.typed == "anna@gmail.com" && member.user.emailVerified)
                #expect(member.user.displayName?.text == "Anna")
                #expect(member.user.photoURL?.text == "https://photos.example/anna.jpg")
                #expect(member.user.firstProvider == .google)
                #expect(try await world.a.isActive(member.accessToken))
                #expect(try await world.a.user(member.id).lastSignInAt == Sample.now)
                let identities = try await world.a.identities(of: member.id)
                let expected = ExternalIdentity(
                    provider: .google, subject: verifiedToken.subject, userID: member.id, audience: "app.town.example",
                    email: "anna@gmail.com", isEmailVerified: true, isPrivateEmail: false, createdAt: Sample.now,
                    lastUsedAt: Sample.now)
                #expect(identities == [expected])
                #expect(try await world.a.events("identity_linked").map(\.reason) == ["sign_up"])
                #expect(try await world.a.events("user_signed_up", "user_signed_in", count: 2).count == 2)
                #expect(await world.a.run { $0.metrics.snapshot.providerSignIns } == [.created: 1])
                #expect(await world.a.run { $0.metrics.snapshot.signUps } == 1)
            }
        }

        @Test func `rule 5: the address of a new user is as verified as the provider says`() async throws {
            try await World.run { world in
                let merely = try await world.a.signIn(.google("1", email: "b@corp.example").merelyVerified()).member
                #expect(merely.user.emailVerified)
                let unverified = try await world.a.signIn(.google("2", email: "c@corp.example").unverified()).member
                #expect(!unverified.user.emailVerified)
                #expect(try await world.a.identities(of: unverified.id).map(\.isEmailVerified) == [false])
            }
        }

        @Test func `rules 1 and 2: a known identity is its user's on every copy, whatever the address is by now`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let first = try await world.a.signIn(.google()).member
                let other = try await world.a.signUp("new@gmail.com")
                world.clock.advance(by: .seconds(60))
                var later = ProviderProof.google(email: "New@gmail.com")
                later.audience = "tablet.town.example"
                let (again, isNew) = try await world.b.signIn(later)
                #expect(!isNew)
                #expect(again.id == first.id && again.id != other.id)
                #expect(again.sessionID != first.sessionID)
                #expect(try await world.b.active([first.accessToken, again.accessToken]) == [true, true])
                // The identity has moved on, the user has not.
                #expect(again.user.email?.typed == "anna@gmail.com" && again.user.emailVerified)
                let identity = try #require(try await world.a.identities(of: first.id).first)
                #expect(identity.email == "New@gmail.com" && identity.audience == "tablet.town.example")
                #expect(identity.createdAt == Sample.now && identity.lastUsedAt == Sample.now.adding(.seconds(60)))
                // A token without an address changes nothing about it.
                _ = try await world.a.signIn(.google(email: nil))
                #expect(try await world.a.identities(of: first.id).map(\.email) == ["New@gmail.com"])
                #expect(await world.b.run { $0.metrics.snapshot.providerSignIns } == [.known: 1])
            }
        }

        @Test func `rule 1: one subject at two providers is two people`() async throws {
            try await World.run { world in
                let google = try await world.a.signIn(.google("1", email: "a@gmail.com")).member
                let apple = try await world.a.signIn(.apple("1", email: "b@town.example")).member
                #expect(google.id != apple.id)
            }
        }

        @Test func `rule 4a: an account with the same proved address gets one more way in`() async throws {
            try await World.run { world in
                let local = try await world.a.signUp("Anna@gmail.com")
                try await world.a.verifyEmail(of: local.id)
                let (member, isNew) = try await world.a.signIn(.google())
                #expect(!isNew && member.id == local.id)
                #expect(member.user.firstProvider == .google)
                // Nothing of before is lost.
                #expect(try await world.a.isActive(local.accessToken))
                #expect(try await world.a.signIn("Anna@gmail.com").id == local.id)
                #expect(try await world.a.signIn(.google()).member.id == local.id)
                let events = try await world.a.events("identity_linked")
                #expect(events.map(\.reason) == ["same_email"] && events.map(\.userID) == [local.id.description])
                let now = world.clock.now
                let mails = try await world.a.run { parts in try await parts.outbox.waiting(10, at: .given(now)) }
                    .compactMap(\.mail)
                #expect(mails.map(\.kind) == [.identityLinked] && mails.map(\.recipient) == ["anna@gmail.com"])
                // Under it the owner can undo it.
                #expect(mails.first?.link.isEmpty == false)
                #expect(await world.a.run { $0.metrics.snapshot.providerSignIns } == [.linked: 1, .known: 1])
            }
        }

        @Test func `rule 4a: two providers with the same proved address are one user`() async throws {
            try await World.run { world in
                let google = try await world.a.signIn(.google()).member
                world.clock.advance(by: .seconds(1))
                let apple = try await world.a.signIn(.apple()).member
                #expect(apple.id == google.id)
                #expect(try await world.a.identities(of: google.id).map(\.provider) == [.google, .apple])
            }
        }

        @Test(arguments: [true, false])
        func `rule 4c: a lesser verifiedToken of a taken address opens nothing`(isVerified: Bool) async throws {
            try await World.run { world in
                let local = try await world.a.signUp("anna@corp.example")
                if isVerified { try await world.a.verifyEmail(of: local.id) }
                let lesser = ProviderProof.google(email: "Anna@corp.example")
                for verifiedToken in [lesser.merelyVerified(), lesser.unverified()] {
                    await #expect(throws: IdentityError.emailNeedsLinking) { try await world.a.signIn(verifiedToken) }
                }
                // The client's own word is the least.
                await #expect(throws: IdentityError.emailNeedsLinking) {
                    try await world.a.signIn(.apple(email: nil), claimedEmail: "anna@corp.example")
                }
                #expect(try await world.a.identities(of: local.id).isEmpty)
                #expect(try await world.a.userCount() == 1)
                #expect(try await world.a.isActive(local.accessToken))
                let events = try await world.a.events("sign_in_failed", count: 3)
                #expect(events.allSatisfy { $0.reason == "email_needs_linking" && $0.userID == local.id.description })
                #expect(await world.a.run { $0.metrics.snapshot.providerSignIns } == [.refused: 3])
            }
        }

        @Test func `rule 6: a relay address is the user's own, and matches nobody's`() async throws {
            try await World.run { world in
                let member = try await world.a.signIn(.relay()).member
                #expect(member.user.emailVerified)
                #expect(try await world.a.identities(of: member.id).map(\.isPrivateEmail) == [true])
                // Somebody else claims it elsewhere.
                var thief = ProviderProof.google(email: "x7k2p9@privaterelay.appleid.com")
                await #expect(throws: IdentityError.emailNeedsLinking) { try await world.a.signIn(thief) }
                thief.provider = .apple
                await #expect(throws: IdentityError.emailNeedsLinking) { try await world.a.signIn(thief) }
                // The user shows the real address from now on: the account stays.
                #expect(try await world.a.signIn(.apple()).member.id == member.id)
                #expect(try await world.a.user(member.id).email?.typed == "x7k2p9@privaterelay.appleid.com")
                #expect(try await world.a.identities(of: member.id).map(\.isPrivateEmail) == [false])
            }
        }

        @Test func `without any address there is no new user, and with the client's it is unverified`() async throws {
            try await World.run { world in
                await #expect(throws: IdentityError.invalidInput([InputProblem(.email, .missing)])) {
                    try await world.a.signIn(.apple(email: nil))
                }
                let member = try await world.a.signIn(.apple(email: nil), claimedEmail: "anna@town.example").member
                #expect(member.user.email?.typed == "anna@town.example" && !member.user.emailVerified)
                // What the client claims beside a token with an address is not looked at.
                let second = try await world.a.signIn(.google(), claimedEmail: "anna@town.example").member
                #expect(second.id != member.id && second.user.email?.typed == "anna@gmail.com")
            }
        }

        @Test func `a name that came once is kept, and never taken from a user who has another`() async throws {
            try await World.run { world in
                let first = try await world.a.signIn(.apple(), name: " Anna ").member
                #expect(first.user.displayName?.text == "Anna")
                #expect(try await world.a.signIn(.apple()).member.user.displayName?.text == "Anna")
                #expect(try await world.a.signIn(.apple(), name: "Eve").member.user.displayName?.text == "Anna")
                // One that comes later is taken where there is none.
                _ = try await world.a.signIn(.apple("2", email: "b@town.example"))
                #expect(try await world.a.signIn(.apple("2"), name: "Berta").member.user.displayName?.text == "Berta")
                #expect(try await world.a.signIn(.apple("2")).member.user.displayName?.text == "Berta")
                do {
                    _ = try await world.a.signIn(.apple("3", email: "c@town.example"), name: "two\nlines")
                    Issue.record("that passed")
                } catch IdentityError.user(.invalidInput(let problems)) {
                    #expect(problems.map(\.field) == [.displayName])
                }
            }
        }

        @Test func `a disabled user is refused like a proof that is none`() async throws {
            try await World.run { world in
                let member = try await world.a.signIn(.google()).member
                try await world.a.run { try await $0.accounts.disable(member.id, caller: Copy.caller) }
                await #expect(throws: IdentityError.invalidProviderToken) { try await world.a.signIn(.google()) }
                // Nor is there another way to the account, by its address.
                await #expect(throws: IdentityError.invalidProviderToken) { try await world.a.signIn(.apple()) }
                #expect(try await world.a.events("sign_in_failed", count: 2).allSatisfy { $0.reason == "disabled_user" })
                #expect(try await world.a.identities(of: member.id).map(\.provider) == [.google])
                try await world.a.run { try await $0.accounts.enable(member.id, caller: Copy.caller) }
                #expect(try await world.a.signIn(.google()).member.id == member.id)
            }
        }

        @Test func `rule 9: a user without a password can be given a first one, and keeps the identities`() async throws {
            try await World.run { world in
                let member = try await world.a.signIn(.google()).member
                await #expect(throws: IdentityError.invalidCredentials) { try await world.a.signIn("anna@gmail.com") }
                try await world.a.run {
                    try await $0.accounts.replacePassword(
                        of: member.id, with: SecretString(Copy.password), keeping: nil, caller: Copy.caller)
                }
                #expect(try await !world.a.isActive(member.accessToken))
                #expect(try await world.a.signIn("anna@gmail.com").id == member.id)
                #expect(try await world.a.signIn(.google()).member.id == member.id)
            }
        }

        @Test func `rule 10: a deletion takes the identities along, and who comes back is somebody new`() async throws {
            try await World.run { world in
                let member = try await world.a.signIn(.google()).member
                try await world.a.link(.apple(email: nil), to: member)
                try await world.a.run { try await $0.accounts.delete(member.id, caller: Copy.caller) }
                #expect(try await world.a.identities(of: member.id).isEmpty)
                #expect(try await !world.a.isActive(member.accessToken))
                let (again, isNew) = try await world.a.signIn(.google())
                #expect(isNew && again.id != member.id)
                await #expect(throws: IdentityError.userNotFound) { try await world.a.refresh(member.refreshToken) }
                #expect(try await world.a.signIn(.apple(email: nil), claimedEmail: "b@town.example").member.id != again.id)
            }
        }

        @Test func `sessions remember how they began, on every copy`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let member = try await world.a.signIn(.google()).member
                try await world.a.link(.apple(email: nil), to: member)
                try await world.a.run {
                    try await $0.accounts.replacePassword(
                        of: member.id, with: SecretString(Copy.password), keeping: member.sessionID, caller: Copy.caller)
                }
                let byPassword = try await world.b.signIn("anna@gmail.com")
                let byApple = try await world.b.signIn(.apple(email: nil)).member
                _ = try await world.a.refresh(byApple.refreshToken)
                let sessions = try await world.a.run { try await $0.sessions.list(of: member.id) }
                let methods = Dictionary(uniqueKeysWithValues: sessions.map { ($0.id, $0.provider) })
                #expect(
                    methods == [
                        member.sessionID: .google, byPassword.sessionID: nil,
                        byApple.sessionID: .apple,
                    ])
                try await world.b.run {
                    try await $0.sessions.endAll(of: member.id, begunWith: .apple, reason: .revoked)
                }
                let tokens = [member.accessToken, byPassword.accessToken, byApple.accessToken]
                #expect(try await world.a.active(tokens) == [true, true, false])
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(byApple.refreshToken) }
            }
        }

        @Test func `a sign-up with a proof may bring a password, and finds what is taken`() async throws {
            try await World.run { world in
                func signUp(_ verifiedToken: ProviderProof, password: String?) async throws -> Member {
                    let token = try verifiedToken.token()
                    let authentication = try await world.a.run { parts in
                        try await parts.accounts.signUp(
                            with: token, password: password.map { SecretString($0) }, displayName: "Anna",
                            claimedEmail: "claimed@town.example", client: parts.app, caller: Copy.caller)
                    }
                    return try await world.a.begin(authentication)
                }
                let member = try await signUp(.google(), password: Copy.password)
                #expect(member.user.email?.typed == "anna@gmail.com")
                #expect(try await world.a.signIn("anna@gmail.com").id == member.id)
                #expect(try await world.a.signIn(.google()).member.id == member.id)
                // The identity is somebody's; so is the address.
                await #expect(throws: IdentityError.emailTaken) { try await signUp(.google(email: "b@gmail.com"), password: nil) }
                await #expect(throws: IdentityError.emailTaken) { try await signUp(.apple(), password: nil) }
                #expect(try await signUp(.apple(email: nil), password: nil).user.email?.typed == "claimed@town.example")
                await #expect(throws: IdentityError.invalidInput([InputProblem(.password, .tooShort(minimum: 8))])) {
                    try await signUp(.google("9", email: "c@gmail.com"), password: "short")
                }
                #expect(try await world.a.userCount() == 2)
            }
        }
    }
}
