import Testing
import Text

@testable import Identity

extension WithStores {
    /// An account whose proved address was changed for one that nobody has proved yet: whoever proves that one and whoever has the older one
    /// may be two, and neither gets what is the other's.
    @Suite struct ReleasedAddressTests {
        private static let address = "berta@gmail.com"
        private static let new = "another horse battery"

        /// How somebody shows that a mailbox is theirs.
        enum Way: CaseIterable {
            case provider, passwordReset, mailedCode

            /// Shows it, and signs in.
            func prove(on copy: Copy) async throws -> Member {
                switch self {
                case .provider: return try await copy.signIn(.google("berta", email: address)).member
                case .passwordReset:
                    try await copy.confirmReset(try #require(try await copy.resetCode(address)), to: new)
                    return try await copy.signIn(address, password: new)
                case .mailedCode:
                    let place = try await copy.run {
                        try await $0.confirmations.requestSignInCode(email: address, caller: Copy.caller)
                    }
                    let code = try await copy.code(.signInCode, to: address)
                    let authentication = try await copy.run {
                        try await $0.confirmations.signIn(code: code, in: place, client: $0.app, caller: Copy.caller)
                            .authentication
                    }
                    return try await copy.begin(authentication)
                }
            }
        }

        private func moved(_ world: World) async throws -> Member {
            let member = try await world.a.provedMember()
            let address = try EmailAddress(Self.address)
            try await world.a.run { try await $0.administration.changeAddress(of: member.id, to: address, isProved: false) }
            return member
        }

        @Test(arguments: Way.allCases)
        func `the two have an account each, and an undo takes nothing along`(way: Way) async throws {
            try await World.run { world in
                let member = try await moved(world)
                let owner = try await way.prove(on: world.a)
                #expect(owner.id != member.id)
                #expect(owner.user.email?.normalized == Self.address && owner.user.emailVerified)

                #expect(try await world.a.undo(try await world.a.code(.addressChanged)).isUndone)
                #expect(try await world.a.user(member.id).email == member.user.email)
                #expect(try await world.a.isActive(owner.accessToken))
                _ = try await world.a.signIn(password: Copy.password)
                #expect(try await world.a.user(owner.id).email?.normalized == Self.address)
            }
        }

        @Test(arguments: Way.allCases)
        func `an account that has its old address again is that owner's, proved or not`(way: Way) async throws {
            try await World.run { world in
                let member = try await world.a.provedMember(Self.address)
                for address in ["elsewhere@town.example", Self.address] {
                    let address = try EmailAddress(address)
                    try await world.a.run {
                        try await $0.administration.changeAddress(of: member.id, to: address, isProved: false)
                    }
                }
                #expect(try await way.prove(on: world.a).id == member.id)
            }
        }

        @Test(arguments: Way.allCases) func `once nothing can be undone, the account is taken back`(way: Way) async throws {
            try await World.run { world in
                let member = try await moved(world)
                let link = try await world.a.code(.addressChanged)
                world.clock.advance(by: .seconds(8 * 86_400))
                let owner = try await way.prove(on: world.a)
                #expect(owner.id == member.id)
                await #expect(throws: IdentityError.invalidCode) { try await world.a.undo(link) }
            }
        }
    }
}
