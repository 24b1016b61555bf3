import JOSE
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Second imports with `--update`.
    @Suite struct ImportUpdateTests {
        private static let sha1 = TransferHashTests.firebase[11]

        private func line(
            _ id: String, name: String = "Anna", disabled: Bool = false, claims: String = "{}", hash: String = sha1.hash
        ) -> String {
            let claims = claims.replacing("\"", with: "\\\"")
            return
                #"{"localId":"\#(id)","email":"\#(id)@town.example","displayName":"\#(name)","disabled":\#(disabled),"customAttributes":"\#(claims)","passwordHash":"\#(hash)","salt":"\#(Self.sha1.salt)"}"#
        }

        private func format() throws -> UserFile.Format {
            Importing.firebase(try FirebaseHashing(Self.sha1.config))
        }

        @Test func `who is here already is brought up to date, and the sessions say it`() async throws {
            try await World.run { world in
                _ = try Importing.bring("[\(line("a", claims: #"{"n":1}"#))]", [try format()], to: world)
                let member = try await world.a.signIn("a@town.example", password: "user1password")
                try await world.a.run { _ = try await $0.administration.setRoles(try Roles(["editor"]), of: member.id) }
                let changed = "[\(line("a", name: "Berta", claims: #"{"n":2}"#)),\(line("b"))]"
                let dry = try Importing.bring(changed, [try format()], to: world) {
                    $0.updates = true
                    $0.isDryRun = true
                }
                #expect(dry.tally.updated == 1 && dry.differences == [])
                #expect(try await Importing.user(world, "firebase", "a").displayName?.text == "Anna")
                let outcome = try await Importing.update(changed, try format(), in: world)
                #expect(outcome.tally.updated == 1 && outcome.tally.added == 1)
                let user = try await Importing.user(world, "firebase", "a")
                // Firebase has no roles: those that were given here stay.
                #expect(user.displayName?.text == "Berta" && user.claims["n"] == 2 && user.roles == ["editor"])
                let next = try await world.a.refresh(member.refreshToken)
                let said = try await world.a.run {
                    try #require($0.keys.value).claims(ofAccessToken: next.accessToken.revealedText)
                }
                #expect(said["n"] == 2 && said["roles"] == ["editor"])
                // The password has been used here, so the one of the file stays out.
                #expect(try await Importing.stored("a@town.example", world).hasPrefix("$argon2id$"))
                let again = try await Importing.update(changed, try format(), in: world)
                #expect(again.tally.updated == 0 && again.tally.known == 2 && again.differences == [])
            }
        }

        @Test func `who is disabled there has no session any more, and who is disabled here stays so`() async throws {
            try await World.run { world in
                _ = try Importing.bring("[\(line("a")),\(line("b"))]", [try format()], to: world)
                let member = try await world.a.signIn("a@town.example", password: "user1password")
                let other = try await world.a.signIn("b@town.example", password: "user1password")
                try await world.a.run { try await $0.administration.disable(other.id) }
                let outcome = try await Importing.update("[\(line("a", disabled: true)),\(line("b"))]", try format(), in: world)
                #expect(outcome.tally.updated == 1)
                #expect(try await !world.a.isActive(member.accessToken))
                #expect(try await Importing.user(world, "firebase", "a").isDisabled)
                #expect(try await Importing.user(world, "firebase", "b").isDisabled)
                #expect(try await world.a.events("user_disabled", count: 2).count == 2)
            }
        }

        @Test func `a password changed there holds here until one was used here`() async throws {
            try await World.run { world in
                _ = try Importing.bring("[\(line("a"))]", [try format()], to: world)
                // Of another password, as Python's hashlib has it: three rounds of SHA-1 over the salt and "user3password".
                let changed = "tFOR93JJ1GUya/ZWIg6ZEMmJjvE="
                let outcome = try await Importing.update("[\(line("a", hash: changed))]", try format(), in: world)
                #expect(outcome.tally.updated == 1)
                let member = try await world.a.signIn("a@town.example", password: "user3password")
                await #expect(throws: IdentityError.invalidCredentials) {
                    try await world.a.signIn("a@town.example", password: "user1password")
                }
                let late = try await Importing.update("[\(line("a"))]", try format(), in: world)
                #expect(late.tally.known == 1)
                #expect(try await world.a.isActive(member.accessToken))
                _ = try await world.a.signIn("a@town.example", password: "user3password")
            }
        }
    }
}
