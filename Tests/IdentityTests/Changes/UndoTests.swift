import Testing
import Text

@testable import Identity

extension WithStores {
    /// Mails that tell of changes of the ways in, and the links in them that undo these.
    @Suite struct UndoTests {
        private static let new = "another horse battery"

        @Test func `a new password is told, undone it is void, and another can be set at once`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let member = try await world.a.provedMember()
                try await world.a.link(.google(), to: member)
                try await world.a.setPassword(Self.new, of: member)
                let mail = try #require(try await world.a.mails(to: Copy.email).first { $0.kind == .passwordChanged })
                #expect(mail.detail == "google" && mail.language == .english)

                let undone = try await world.b.undo(mail.link)
                for token in [member.accessToken] { #expect(try await !world.a.isActive(token)) }
                for password in [Self.new, Copy.password] {
                    await #expect(throws: IdentityError.invalidCredentials) { try await world.a.signIn(password: password) }
                }
                #expect(try await world.a.identities(of: member.id).map(\.provider) == [.google])
                try await world.a.confirmReset(try #require(undone.resetCode), to: "a third horse battery")
                _ = try await world.a.signIn(password: "a third horse battery")
                #expect(try await world.b.events("changes_undone").map(\.userID) == [member.id.description])
                #expect(try await world.a.mails(to: Copy.email).contains { $0.kind == .changesUndone && $0.link.isEmpty })
                // Once more does nothing.
                #expect(try await world.b.undo(mail.link).isAlreadyUndone)
                _ = try await world.a.signIn(password: "a third horse battery")
            }
        }

        @Test func `an identity that was linked goes, and one that was unlinked comes back for a new proof`() async throws {
            try await World.run { world in
                let member = try await world.a.provedMember()
                try await world.a.link(.google(), to: member)
                #expect(try await world.a.mails(to: Copy.email).map(\.detail) == ["google"])
                #expect(try await world.a.undo(world.a.code(.identityLinked)).isUndone)
                #expect(try await world.a.identities(of: member.id).isEmpty)

                let again = try await world.a.signIn()
                try await world.a.link(.apple(), to: again)
                try await world.a.unlink(.apple, from: again)
                #expect(try await world.a.identities(of: member.id).isEmpty)
                world.clock.advance(by: .seconds(3600))
                #expect(try await world.a.undo(world.a.code(.identityUnlinked)).isUndone)
                #expect(try await world.a.identities(of: member.id).map(\.provider) == [.apple])
                await #expect(throws: IdentityError.invalidProviderToken) { try await world.a.signIn(.apple()) }
                var verifiedToken = ProviderProof.apple()
                verifiedToken.issuedAt = world.clock.now
                #expect(try await world.a.signIn(verifiedToken).member.id == member.id)
            }
        }

        @Test func `an identity that somebody else has by now stays theirs`() async throws {
            try await World.run { world in
                let member = try await world.a.provedMember()
                try await world.a.link(.google(), to: member)
                try await world.a.unlink(.google, from: member)
                let other = try await world.a.signUp("berta@town.example")
                try await world.a.link(.google(), to: other)
                #expect(try await world.a.undo(world.a.code(.identityUnlinked)).isUndone)
                #expect(try await world.a.identities(of: member.id).isEmpty)
                #expect(try await world.a.identities(of: other.id).map(\.provider) == [.google])
            }
        }

        @Test func `the link to the old address wins over all that a thief did afterwards`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let thief = try await world.a.provedMember()
                let owner = try await world.b.signIn()
                try await world.a.link(.google(), to: thief)
                try await world.a.changeAddress("thief@else.example", of: thief)
                try await world.a.unlink(.google, from: thief)
                try await world.a.link(.apple("thief", email: nil), to: thief)
                try await world.a.setPassword(Self.new, of: thief)
                try await world.a.changeAddress("again@else.example", of: thief, password: Self.new)
                #expect(try await !world.a.isActive(owner.accessToken))
                // The thief has links too, and is first.
                #expect(try await world.a.undo(world.a.code(.passwordChanged, to: "thief@else.example")).isUndone)
                let inside = try await world.a.signIn(.apple("thief", email: nil)).member

                let undone = try await world.b.undo(world.a.code(.addressChanged))
                let user = try await world.a.user(thief.id)
                #expect(user.email?.typed == Copy.email && user.emailVerified)
                #expect(try await world.a.identities(of: thief.id).map(\.provider) == [.google])
                for token in [thief.accessToken, inside.accessToken] { #expect(try await !world.a.isActive(token)) }
                // Nobody's any more.
                await #expect(throws: IdentityError.invalidInput([InputProblem(.email, .missing)])) {
                    try await world.a.signIn(.apple("thief", email: nil))
                }
                for kind in [Mail.Kind.identityLinked, .identityUnlinked, .passwordChanged, .addressChanged] {
                    #expect(try await world.a.undo(world.a.code(kind, to: "thief@else.example")).isAlreadyUndone)
                }
                #expect(try await world.a.user(thief.id).email?.typed == Copy.email)
                // Both mailboxes are told.
                #expect(try await world.a.mails(to: Copy.email).contains { $0.kind == .changesUndone })
                try await world.b.confirmReset(try #require(undone.resetCode), to: "the owner's own horse")
                #expect(try await world.b.signIn(password: "the owner's own horse").id == thief.id)
            }
        }

        @Test func `the mail that another address was asked for undoes the asking`() async throws {
            try await World.run { world in
                let member = try await world.a.provedMember()
                try await world.a.askForAddress("thief@else.example", of: member)
                let pending = try await world.a.code(.addressConfirmation, to: "thief@else.example")
                #expect(try await world.a.undo(world.a.code(.addressChangeRequested)).isUndone)
                await #expect(throws: IdentityError.invalidCode) { try await world.a.confirmAddress(pending) }
                #expect(try await !world.a.isActive(member.accessToken))
                // The password was there before.
                #expect(try await world.a.signIn().id == member.id)
            }
        }

        @Test func `whoever has not proved the old address loses it, and keeps the account`() async throws {
            try await World.run { world in
                let member = try await world.a.provedMember()
                try await world.a.changeAddress("thief@else.example", of: member)
                let squatter = try await world.a.signUp(Copy.email)
                #expect(try await world.a.undo(world.a.code(.addressChanged)).isUndone)
                #expect(try await world.a.user(member.id).email?.typed == Copy.email)
                let owner = try await world.a.run { try await $0.users.credentials(of: EmailAddress(Copy.email))?.user }
                #expect(owner?.id == member.id)
                #expect(try await world.a.isActive(squatter.accessToken))
                #expect(try await !world.a.user(squatter.id).emailVerified)
            }
        }

        @Test
        func `an account whose old address another account has proved since opens to its own identities, and to nothing else`()
            async throws
        {
            try await World.run { world in
                let member = try await world.a.provedMember()
                try await world.a.link(.apple("owner", email: nil), to: member)
                try await world.a.changeAddress("thief@else.example", of: member)
                try await world.a.link(.apple("thief", email: nil), to: member)
                let other = try await world.a.provedMember(Copy.email)
                #expect(try await world.a.undo(world.a.code(.addressChanged)).isAddressElsewhere)
                let user = try await world.a.user(member.id)
                #expect(!user.isDisabled && user.emailClaimed && !user.emailVerified && user.email?.typed == Copy.email)
                #expect(try await !world.a.isActive(member.accessToken))
                // The thief has neither the address nor the identity any more.
                await #expect(throws: IdentityError.invalidCredentials) { try await world.a.signIn("thief@else.example") }
                #expect(try await world.a.identities(of: member.id).map(\.subject) == ["owner"])
                world.clock.advance(by: .seconds(1))
                #expect(try await world.a.signIn(.apple("owner", email: nil)).member.id == member.id)
                // And the other account is as it was.
                #expect(try await world.a.isActive(other.accessToken))
                #expect(try await world.a.user(other.id).emailVerified)
                #expect(try await world.a.signIn(Copy.email).id == other.id)
            }
        }

        @Test func `who has not proved an address is told nothing`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                try await world.a.link(.google(), to: member)
                try await world.a.setPassword(Self.new, of: member)
                try await world.a.askForAddress("new@else.example", of: member, password: Self.new)
                #expect(try await world.a.mails(to: Copy.email).isEmpty)
                #expect(try await world.a.changeCount() == 0)
            }
        }

        @Test func `a link is good for its time, for an account that is not barred, and for nothing else`() async throws {
            try await World.run { world in
                let member = try await world.a.provedMember()
                try await world.a.setPassword(Self.new, of: member)
                let code = try await world.a.code(.passwordChanged)
                for wrong in ["", "x", String(repeating: "A", count: 43)] {
                    await #expect(throws: IdentityError.invalidCode) { try await world.a.undo(SecretString(wrong)) }
                }
                // It is no code for anything else.
                await #expect(throws: IdentityError.invalidCode) { try await world.a.confirmAddress(code) }
                await #expect(throws: IdentityError.invalidCode) { try await world.a.confirmReset(code, to: Self.new) }
                try await world.a.run { try await $0.accounts.disable(member.id, caller: Copy.caller) }
                await #expect(throws: IdentityError.invalidCode) { try await world.a.undo(code) }
                try await world.a.run { try await $0.accounts.enable(member.id, caller: Copy.caller) }
                world.clock.advance(by: .seconds(7 * 86_400) - .milliseconds(1))
                let kind = try await world.a.run { try await $0.confirmations.change(ofCode: code, caller: Copy.caller).kind }
                #expect(kind == .password)
                world.clock.advance(by: .milliseconds(1))
                await #expect(throws: IdentityError.invalidCode) { try await world.a.undo(code) }
                #expect(try await world.a.signIn(password: Self.new).id == member.id)
                let time = world.a.system.statementTime
                try await world.a.run { try await JobChore.sweepChanges.carryOut($0.postgres, time) }
                #expect(try await world.a.changeCount() == 0)
            }
        }

        @Test func `of many at once one undoes`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let member = try await world.a.provedMember()
                try await world.a.setPassword(Self.new, of: member)
                let code = try await world.a.code(.passwordChanged)
                let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for index in 0..<8 {
                        let copy = world.copies[index % 2]
                        group.addTask { try await copy.undo(code).isUndone }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(outcomes.count { $0 } == 1)
            }
        }

        @Test func `while the sessions cannot be ended nothing is undone, and later it is`() async throws {
            try await World.run { world in
                let member = try await world.a.provedMember()
                try await world.a.changeAddress("thief@else.example", of: member)
                let code = try await world.a.code(.addressChanged)
                try await world.a.permitKeys("at:*")
                await #expect(throws: IdentityError.self) { try await world.a.undo(code) }
                try await world.a.permitKeys("*")
                #expect(try await world.a.user(member.id).email?.typed == "thief@else.example")
                #expect(try await world.a.isActive(member.accessToken))
                #expect(try await world.a.undo(code).isUndone)
                #expect(try await !world.a.isActive(member.accessToken))
            }
        }

        @Test func `what was undone does not keep the next change from being told`() async throws {
            try await World.run { world in
                let member = try await world.a.provedMember()
                for number in 1...(AccountNotices.limit + 2) {
                    let session = number == 1 ? member : try await world.a.signIn()
                    try await world.a.link(.google(), to: session)
                    let mails = try await world.a.mails(to: Copy.email).filter { $0.kind == .identityLinked }
                    #expect(mails.count == number)
                    var isUndone = false
                    for mail in mails { if try await world.a.undo(mail.link).isUndone { isUndone = true } }
                    #expect(isUndone)
                    #expect(try await world.a.identities(of: member.id).isEmpty)
                }
            }
        }

        @Test func `only so many are told, and the link of the first undoes all`() async throws {
            try await World.run { world in
                let member = try await world.a.provedMember()
                for index in 0..<8 {
                    try await world.a.link(.google("subject-\(index)"), to: member)
                    world.clock.advance(by: .milliseconds(1))
                }
                let mails = try await world.a.mails(to: Copy.email)
                #expect(mails.count == AccountNotices.limit)
                #expect(try await world.a.changeCount() == Int64(AccountNotices.limit))
                #expect(try await world.a.undo(try #require(mails.first).link).isUndone)
                #expect(try await world.a.identities(of: member.id).isEmpty)
            }
        }

        @Test func `a deleted user leaves none, and what is kept is sealed`() async throws {
            try await World.run { world in
                let member = try await world.a.provedMember()
                try await world.a.link(.google(), to: member)
                #expect(try await world.a.changeCount() == 1)
                let stored = try await world.a.storedChanges()
                #expect(!stored.contains("anna") && !stored.contains("112233445566778899000"))
                let code = try await world.a.code(.identityLinked)
                #expect(!stored.contains(code.revealedText))
                try await world.a.run { try await $0.accounts.delete(member.id, caller: Copy.caller) }
                #expect(try await world.a.changeCount() == 0)
                await #expect(throws: IdentityError.invalidCode) { try await world.a.undo(code) }
            }
        }

        @Test func `without a page there is word and no link`() async throws {
            try await World.run({ $0.notices.link = nil }) { world in
                let member = try await world.a.provedMember()
                try await world.a.setPassword(Self.new, of: member)
                let mail = try #require(try await world.a.mails(to: Copy.email).last)
                #expect(mail.kind == .passwordChanged && mail.link.isEmpty)
                #expect(try await world.a.changeCount() == 0)
            }
        }
    }
}
