import Testing
import Text

@testable import Identity

extension WithStores {
    /// Another address for an account.
    @Suite struct AddressChangeTests {
        private static let new = "anna@else.example"

        @Test func `an address is asked for, confirmed by the mail to it, and only the session that asked lives on`() async throws
        {
            try await World.run({ $0.copies = 2 }) { world in
                let member = try await world.a.provedMember()
                let other = try await world.b.signIn()
                try await world.a.askForAddress("Anna@Else.example", of: member)
                let told = try #require(try await world.a.mails(to: Copy.email).last)
                #expect(told.kind == .addressChangeRequested && told.detail == Self.new)
                let code = try await world.a.code(.addressConfirmation, to: Self.new)
                // Until then it is good for nothing.
                #expect(try await world.a.user(member.id).email?.typed == Copy.email)
                await #expect(throws: IdentityError.invalidCredentials) { try await world.a.signIn(Self.new) }
                #expect(try await world.a.signIn(.google(email: Self.new)).isNew)
                try await world.a.run { parts in
                    let taken = try await parts.users.credentials(of: EmailAddress(Self.new))
                    try await parts.accounts.delete(try #require(taken).user.id, caller: Copy.caller)
                }

                let change = try await world.b.confirmAddress(code)
                #expect(change.user.email?.typed == "Anna@Else.example" && change.user.emailVerified && change.resetCode == nil)
                #expect(try await world.a.user(member.id).tokensValidAfter != nil)
                #expect(try await world.a.isActive(member.accessToken))
                #expect(try await !world.a.isActive(other.accessToken))
                let next = try await world.a.introspect(try await world.a.refresh(member.refreshToken).accessToken)
                #expect(next["username"] == "Anna@Else.example" && next["email_verified"] == true)
                let changed = try #require(try await world.a.mails(to: Copy.email).first { $0.kind == .addressChanged })
                #expect(changed.detail == Self.new)
                #expect(try await world.a.signIn(Self.new).id == member.id)
                await #expect(throws: IdentityError.invalidCredentials) { try await world.a.signIn() }
                await #expect(throws: IdentityError.invalidCode) { try await world.a.confirmAddress(code) }
                #expect(try await world.b.events("address_changed").map(\.userID) == [member.id.description])
                #expect(try await world.a.events("address_change_requested").map(\.sessionID) == [member.sessionID.text])
            }
        }

        @Test func `it takes the password or a recent sign-in`() async throws {
            try await World.run { world in
                let member = try await world.a.provedMember()
                try await world.a.askForAddress(Self.new, of: member, password: nil)
                world.clock.advance(by: .seconds(301))
                await #expect(throws: IdentityError.recentSignInRequired) {
                    try await world.a.askForAddress(Self.new, of: member, password: nil)
                }
                await #expect(throws: IdentityError.invalidCredentials) {
                    try await world.a.askForAddress(Self.new, of: member, password: "wrong password")
                }
                try await world.a.askForAddress(Self.new, of: member)
                #expect(try await world.a.mails(to: Self.new).count == 2)
            }
        }

        @Test func `a newer mail, a new password and an undoing make a code void`() async throws {
            try await World.run { world in
                let member = try await world.a.provedMember()
                try await world.a.askForAddress(Self.new, of: member)
                let first = try await world.a.code(.addressConfirmation, to: Self.new)
                try await world.a.askForAddress("other@else.example", of: member)
                await #expect(throws: IdentityError.invalidCode) { try await world.a.confirmAddress(first) }
                let second = try await world.a.code(.addressConfirmation, to: "other@else.example")
                try await world.a.setPassword("another horse battery", of: member)
                await #expect(throws: IdentityError.invalidCode) { try await world.a.confirmAddress(second) }
                let again = try await world.a.signIn(password: "another horse battery")
                try await world.a.askForAddress(Self.new, of: again, password: nil)
                let third = try await world.a.code(.addressConfirmation, to: Self.new)
                #expect(try await world.a.undo(world.a.code(.passwordChanged)).isUndone)
                await #expect(throws: IdentityError.invalidCode) { try await world.a.confirmAddress(third) }
                #expect(try await world.a.user(member.id).email?.typed == Copy.email)
            }
        }

        @Test(arguments: [false, true])
        func `what another session has asked for is void once the user has signed out everywhere`(keepingIt: Bool) async throws {
            try await World.run { world in
                let member = try await world.a.provedMember()
                let thief = try await world.a.signIn()
                try await world.a.askForAddress(Self.new, of: thief)
                let code = try await world.a.code(.addressConfirmation, to: Self.new)
                try await world.a.run {
                    try await $0.sessions.signOutEverywhere(
                        member.id, from: member.sessionID, keepingIt: keepingIt, caller: Copy.caller)
                }
                await #expect(throws: IdentityError.invalidCode) { try await world.a.confirmAddress(code) }
                // A request that was under way then.
                await #expect(throws: IdentityError.recentSignInRequired) {
                    try await world.a.askForAddress("thief@else.example", of: thief)
                }
                #expect(try await world.a.mails(to: "thief@else.example").isEmpty)
                #expect(try await world.a.user(member.id).email?.typed == Copy.email)
                let owner = try await keepingIt ? member : world.a.signIn()
                try await world.a.changeAddress("anna@other.example", of: owner)
                #expect(try await world.a.user(member.id).email?.typed == "anna@other.example")
            }
        }

        @Test func `a session that is not to be kept ends with the others`() async throws {
            try await World.run { world in
                let member = try await world.a.provedMember()
                try await world.a.askForAddress(Self.new, of: member, keepsSession: false)
                try await world.a.confirmAddress(world.a.code(.addressConfirmation, to: Self.new))
                #expect(try await !world.a.isActive(member.accessToken))
                #expect(try await world.a.user(member.id).tokensValidAfter != nil)
            }
        }

        @Test func `who has an address is told that somebody wanted it, and nobody else is`() async throws {
            try await World.run { world in
                let (anna, berta) = (try await world.a.provedMember(), try await world.a.signUp("berta@town.example"))
                try await world.a.askForAddress("Berta@town.example", of: anna)
                let mails = try await world.a.mails(to: "berta@town.example")
                #expect(mails.map(\.kind) == [.addressTaken] && mails.map(\.link.isEmpty) == [true])
                #expect(mails.map(\.userID) == [berta.id])
                #expect(try await world.a.mails(to: Copy.email).map(\.kind) == [.addressChangeRequested])
                // One's own is no change.
                try await world.a.askForAddress(Copy.email.uppercased(), of: anna)
                #expect(try await world.a.mails(to: Copy.email).count == 1)
            }
        }

        @Test func `of two accounts that confirm one address one gets it`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let members = [try await world.a.provedMember(), try await world.a.provedMember("berta@town.example")]
                var codes: [SecretString] = []
                for member in members {
                    try await world.a.askForAddress(Self.new, of: member)
                    let mail = try await world.a.mails(to: Self.new).first { $0.userID == member.id }
                    codes.append(try #require(mail).link)
                }
                let outcomes = await withTaskGroup(of: IdentityError?.self) { group in
                    for (copy, code) in zip(world.copies, codes) {
                        group.addTask {
                            do {
                                try await copy.confirmAddress(code)
                                return nil
                            } catch {
                                return error as? IdentityError ?? .internalFault
                            }
                        }
                    }
                    return await group.reduce(into: [IdentityError?]()) { $0.append($1) }
                }
                #expect(outcomes.count { $0 == nil } == 1 && outcomes.contains(.emailTaken))
                let loser = try await world.a.user(members[0].id).email?.normalized == Self.new ? members[1] : members[0]
                // Who came too late has lost nothing.
                #expect(try await world.a.isActive(loser.accessToken))
                #expect(try await world.a.user(loser.id).email?.normalized != Self.new)
            }
        }

        @Test func `an address that had never been proved: whatever opened the account before is gone`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                try await world.a.link(.google(), to: member)
                try await world.a.askForAddress(Self.new, of: member)
                let change = try await world.a.confirmAddress(world.a.code(.addressConfirmation, to: Self.new))
                #expect(change.user.emailVerified)
                #expect(try await !world.a.isActive(member.accessToken))
                #expect(try await world.a.identities(of: member.id).isEmpty)
                await #expect(throws: IdentityError.invalidCredentials) { try await world.a.signIn(Self.new) }
                try await world.a.confirmReset(try #require(change.resetCode), to: "another horse battery")
                #expect(try await world.a.signIn(Self.new, password: "another horse battery").id == member.id)
                #expect(try await world.a.mails(to: Copy.email).isEmpty)
            }
        }

        @Test func `who only claims an address that is somebody else's gets another one`() async throws {
            try await World.run { world in
                let claimant = try await world.a.signIn(.google(email: Copy.email).unverified()).member
                let owner = try await world.a.signUp()
                try await world.a.askForAddress(Self.new, of: claimant, password: nil)
                try await world.a.confirmAddress(world.a.code(.addressConfirmation, to: Self.new))
                let changed = try await world.a.user(claimant.id)
                #expect(changed.email?.normalized == Self.new && changed.emailVerified)
                #expect(try await world.a.user(owner.id).email?.typed == Copy.email)
                #expect(try await world.a.isActive(owner.accessToken))
            }
        }

        @Test func `a user who is barred or gone confirms nothing`() async throws {
            try await World.run { world in
                let member = try await world.a.provedMember()
                try await world.a.askForAddress(Self.new, of: member)
                let code = try await world.a.code(.addressConfirmation, to: Self.new)
                let address = try await world.a.run { try await $0.confirmations.address(ofCode: code, caller: Copy.caller) }
                #expect(address.normalized == Self.new)
                try await world.a.run { try await $0.accounts.disable(member.id, caller: Copy.caller) }
                await #expect(throws: IdentityError.invalidCode) { try await world.a.confirmAddress(code) }
                try await world.a.run { try await $0.accounts.delete(member.id, caller: Copy.caller) }
                await #expect(throws: IdentityError.invalidCode) { try await world.a.confirmAddress(code) }
            }
        }

        @Test func `mails of this kind are budgeted as others`() async throws {
            try await World.run({ $0.limits[.mailRecipient] = Budget(2, per: .seconds(3600)) }) { world in
                let member = try await world.a.provedMember()
                for _ in 0..<2 { try await world.a.askForAddress(Self.new, of: member) }
                // Nobody is told, and nothing is sent.
                try await world.a.askForAddress(Self.new, of: member)
                #expect(try await world.a.mails(to: Self.new).count == 2)
            }
        }
    }
}
