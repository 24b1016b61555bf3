import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// What administrators may do, in whose name, and what it does.
    @Suite struct AdministratorActionsTests {
        private static let reader = Administrator(name: "ken", source: .api, permissions: [.readUsers])

        @Test func `without its permission an action is refused, and nothing happens`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                try await world.a.run { parts async throws in
                    let reader = parts.administration(as: Self.reader)
                    #expect(try await reader.user(member.id)?.id == member.id)
                    await #expect(throws: AdministrationError.notPermitted(.changeUsers)) { try await reader.disable(member.id) }
                    await #expect(throws: AdministrationError.notPermitted(.deleteUsers)) { try await reader.delete(member.id) }
                    await #expect(throws: AdministrationError.notPermitted(.endSessions)) { try await reader.signOut(member.id) }
                    await #expect(throws: AdministrationError.notPermitted(.exportUsers)) {
                        _ = try await reader.export(member.id)
                    }
                    await #expect(throws: AdministrationError.notPermitted(.readMails)) { _ = try await reader.waitingMails(1) }
                    await #expect(throws: AdministrationError.notPermitted(.manageKeys)) { _ = try await reader.retireKey("x") }
                }
                #expect(try await world.a.isActive(member.accessToken))
            }
        }

        @Test func `audit events name who acted, and whence`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                try await world.a.run { parts in
                    try await parts.administration.disable(member.id)
                    let all = Set(Administrator.Permission.allCases)
                    let api = Administrator(name: "ken", source: .api, permissions: all)
                    try await parts.administration(as: api).enable(member.id)
                }
                _ = try await world.a.events("user_disabled", "user_enabled", count: 2)
                for (kind, detail) in [
                    ("user_disabled", ["operator": "mei"]), ("user_enabled", ["source": "api", "operator": "ken"]),
                ] as [(String, JSONValue)] {
                    var filter = AuditFilter()
                    filter.kind = kind
                    let asked = filter
                    let events = try await world.a.run { try await AuditStore(pool: $0.postgres).page(asked, count: 9) }
                    #expect(events.map(\.actor) == ["administrator"] && events.map(\.detail) == [detail])
                }
            }
        }

        @Test(arguments: [true, false])
        func `another address ends the sessions and tells the old one, which can undo it`(isProved: Bool) async throws {
            try await World.run { world in
                let member = try await world.a.provedMember()
                let address = try EmailAddress("Berta@Town.example")
                try await world.a.run {
                    try await $0.administration.changeAddress(of: member.id, to: address, isProved: isProved)
                }
                let user = try await world.a.user(member.id)
                #expect(user.email == address && user.emailVerified == isProved)
                #expect(try await !world.a.isActive(member.accessToken))
                let mail = try #require(try await world.a.mails(to: Copy.email).last)
                #expect(mail.kind == .addressChanged && mail.detail == address.normalized)
                _ = try await world.a.undo(try await world.a.code(.addressChanged))
                #expect(try await world.a.user(member.id).email == member.user.email)
                #expect(try await world.a.events("address_changed").map(\.actor) == ["administrator"])
            }
        }

        @Test func `an address that somebody has is not given away`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                _ = try await world.a.signUp("berta@town.example")
                let address = try EmailAddress("berta@town.example")
                await #expect(throws: AdministrationError.refused(.emailTaken)) {
                    try await world.a.run {
                        try await $0.administration.changeAddress(of: member.id, to: address, isProved: true)
                    }
                }
                #expect(try await world.a.isActive(member.accessToken))
            }
        }

        @Test func `nobody vouches for an address that is only claimed and somebody else's`() async throws {
            try await World.run { world in
                let claimant = try await world.a.signIn(.google(email: Copy.email).unverified()).member
                let owner = try await world.a.signUp()
                await #expect(throws: AdministrationError.refused(.emailTaken)) {
                    try await world.a.run { try await $0.administration.vouch(forAddressOf: claimant.id) }
                }
                #expect(try await !world.a.user(claimant.id).emailVerified)
                #expect(try await world.a.isActive(owner.accessToken))
            }
        }

        @Test func `the sessions that began with a provider are found and ended, others stay`() async throws {
            try await World.run { world in
                let password = try await world.a.signUp()
                let apple = [try await world.a.signIn(.apple()).member, try await world.a.signIn(.apple()).member]
                let google = try await world.a.signIn(.google()).member
                let found = try await world.a.run { parts in
                    var found: Set<SessionID> = []
                    var cursor: SessionScanCursor?
                    repeat {
                        let (some, next) = try await parts.administration.sessions(begunWith: .apple, from: cursor)
                        found.formUnion(some.map(\.id))
                        cursor = next
                    } while cursor != nil
                    for id in found { try await parts.administration.end(id) }
                    return found
                }
                #expect(found == Set(apple.map(\.sessionID)))
                #expect(try await world.a.active(apple.map(\.accessToken)) == [false, false])
                #expect(try await world.a.active([password.accessToken, google.accessToken]) == [true, true])
                #expect(try await world.a.events("session_ended", count: 2).allSatisfy { $0.actor == "administrator" })
            }
        }
    }
}
