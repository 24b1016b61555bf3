import Crypto
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Files that somebody has made to get in, or to break the import.
    @Suite struct ImportAttackTests {
        @Test(arguments: [1, 50]) func `an address in two spellings is one user's`(batch: Int) async throws {
            try await World.run { world in
                let lines = [
                    #"{"localId":"1","email":"anna@b\u00fccher.example","emailVerified":true}"#,
                    #"{"localId":"2","email":"ANNA@B\u00dcCHER.example","emailVerified":true}"#,
                    #"{"localId":"3","email":"anna@bu\u0308cher.example","emailVerified":true}"#,
                    #"{"localId":"4","email":"anna@xn--bcher-kva.example","emailVerified":true}"#,
                    #"{"localId":"1","email":"other@town.example"}"#, #"{"localId":"5","email":"\u0430nna@town.example"}"#,
                ]
                let outcome = try Importing.bring(
                    "[\(lines.joined(separator: ",\n"))]", [Importing.firebase()], to: world, batch: batch)
                let reason = batch == 1 ? "email_taken" : "duplicate"
                #expect(outcome.refused == ["2 \(reason)", "3 \(reason)", "4 \(reason)", "5 duplicate", "6 email"])
                #expect(try await world.a.userCount() == 1)
            }
        }

        @Test(arguments: [1, 50]) func `a phone number is one user's`(batch: Int) async throws {
            try await World.run { world in
                let text = """
                    [{"localId":"1","phoneNumber":"+819012345678"},{"localId":"2","phoneNumber":"+819012345678"},
                     {"localId":"3","phoneNumber":"+819087654321"}]
                    """
                let outcome = try Importing.bring(text, [Importing.firebase()], to: world, batch: batch)
                #expect(outcome.tally.added == 2 && outcome.refused == ["2 \(batch == 1 ? "phone_taken" : "duplicate")"])
                // Who is here already does not get another's number either.
                let other = #"[{"localId":"1","phoneNumber":"+819087654321","displayName":"Anna"}]"#
                let updated = try Importing.bring(other, [Importing.firebase()], to: world) { $0.updates = true }
                #expect(updated.tally.updated == 1)
                let user = try await Importing.user(world, "firebase", "1")
                #expect(user.phoneNumber == "+819012345678" && user.displayName?.text == "Anna")
            }
        }

        @Test func `an address that somebody only claims keeps nobody out, and one that somebody signed up with does`()
            async throws
        {
            try await World.run { world in
                let claimed = """
                    [{"localId":"c","email":"claimed@town.example","providerUserInfo":[{"providerId":"google.com","rawId":"1"}]},
                     {"localId":"d","email":"mail@town.example"}]
                    """
                _ = try Importing.bring(claimed, [Importing.firebase(source: "first")], to: world)
                #expect(try await Importing.user(world, "first", "c").emailClaimed)
                // Who has no other way in gets in by a mail.
                #expect(try await !Importing.user(world, "first", "d").emailClaimed)
                try await world.a.confirmReset(try #require(try await world.a.resetCode("mail@town.example")), to: Copy.password)
                // Signed up here, and not proved yet.
                let squatter = try await world.a.signUp("victim@town.example")
                let text = """
                    [{"localId":"1","email":"claimed@town.example","emailVerified":true},
                     {"localId":"2","email":"victim@town.example","emailVerified":true}]
                    """
                let outcome = try Importing.bring(text, [Importing.firebase()], to: world)
                #expect(outcome.tally.added == 1 && outcome.refused == ["2 email_taken"])
                // --merge does not give the victim's identities to whoever has only signed up.
                let merged = try Importing.bring(text, [Importing.firebase()], to: world) { $0.merges = true }
                #expect(merged.tally.merged == 0 && merged.refused == ["2 email_taken"])
                #expect(try await !Importing.user(world, "first", "c").emailVerified)
                #expect(try await world.a.isActive(squatter.accessToken))
            }
        }

        @Test func `a merge with an identity that the user has already is none of somebody else's`() async throws {
            try await World.run { world in
                func text(_ id: String) -> String {
                    #"[{"localId":"\#(id)","email":"a@town.example","emailVerified":true,"providerUserInfo":[{"providerId":"google.com","rawId":"1"}]},{"localId":"\#(id)b"}]"#
                }
                _ = try Importing.bring(text("1"), [Importing.firebase()], to: world)
                let merged = try Importing.bring(text("2"), [Importing.firebase(source: "other")], to: world) { $0.merges = true }
                #expect(merged.tally.merged == 1 && merged.tally.added == 1 && merged.refused == [])
                let user = try await Importing.user(world, "other", "2")
                #expect(try await Importing.user(world, "firebase", "1").id == user.id)
            }
        }

        @Test func `an id there is never the id of another user here`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let free = "0b6e3c1e-7f0e-4a3c-9a51-0d6f6f1f2a3b"
                let text = #"[{"localId":"\#(member.id)"},{"localId":"\#("\(member.id)".uppercased())"},{"localId":"\#(free)"}]"#
                let outcome = try Importing.bring(text, [Importing.firebase()], to: world)
                #expect(outcome.refused == ["1 id_taken", "2 id_taken"] && outcome.tally.added == 1)
                // The other way round: a user who is to have the id that somebody else had there.
                let own = UserFile.Format.lines(KidobanUsers(Importing.rules("jsonl")))
                #expect(try Importing.bring(#"{"id":"\#(free)"}"#, [own], to: world).refused == ["1 id_taken"])
                let both =
                    #"{"id":"1b6e3c1e-7f0e-4a3c-9a51-0d6f6f1f2a3b","aliases":[{"source":"x","id":"1b6e3c1e-7f0e-4a3c-9a51-0d6f6f1f2a3b"}]}"#
                #expect(try Importing.bring(both, [own], to: world).tally.added == 1)
            }
        }

        @Test func `giants, stumps and NUL bytes cost a line of the report each`() async throws {
            try await World.run { world in
                let giant = String(repeating: "x", count: 10 << 20)
                let text = """
                    {"users":[{"localId":"1"},
                    {"localId":"giant","displayName":"\(giant)"},
                    {"localId":"nul\u{0}"},
                    {"localId":"nul","displayName":"a\\u0000b","photoUrl":"https://x.example/\\u0000"},
                    {"localId":"2","email":"two@town.example"},
                    {"localId":"3","ema
                    """
                let outcome = try Importing.bring(text, [Importing.firebase()], to: world)
                #expect(outcome.tally.added == 3)
                #expect(outcome.refused == ["2 too_large", "3 malformed", "6 truncated"])
                #expect(outcome.leftOut == ["4 display_name", "4 photo_url"])
                let csv = Array("nul\u{0},a@town.example,true,,,,,,,,,,,,,,,,,,,,,,,,,,\n".utf8)
                #expect(try Importing.bring(csv, [Importing.firebase(isCSV: true)], to: world).refused == ["1 id"])
            }
        }

        /// firebase-tools does not double the quotes of names.
        @Test func `a quote in a name takes no other row with it`() async throws {
            try await World.run { world in
                func row(_ id: String, _ name: String) -> String {
                    "\(id),\(id)@town.example,true,,,\(name),,,,,,,,,,,,,,,,,,1577934245678,,,false,,\n"
                }
                for (index, name) in [#"""#, #""x"#, #""a" b"#, #""a","#].enumerated() {
                    let id = "n\(index)"
                    let text = row("\(id)a", "A") + row("\(id)x", name) + row("\(id)b", "B") + row("\(id)c", #""C, D""#)
                    let outcome = try Importing.bring(text, [Importing.firebase(isCSV: true)], to: world, batch: 50)
                    #expect(outcome.tally.added >= 3, "\(name) \(outcome.refused)")
                    #expect(try await Importing.user(world, "firebase", "\(id)c").displayName?.text == "C, D")
                    #expect(try await Importing.user(world, "firebase", "\(id)b").displayName?.text == "B")
                }
            }
        }

        @Test func `parameters that ask for too much are refused before any work`() throws {
            let (hash, salt) = (TransferHashTests.firebase[0].hash, "TmFDbC1zYWx0LTE2Ynl0ZQ==")
            for config in [
                #"{"hashAlgorithm":"SCRYPT","signerKey":"AAAA","rounds":4294967295,"memoryCost":31}"#,
                #"{"hashAlgorithm":"SCRYPT","signerKey":"AAAA","rounds":8,"memoryCost":4294967295}"#,
                #"{"hashAlgorithm":"SCRYPT","signerKey":"AAAA","rounds":8,"memoryCost":24}"#,
                #"{"hashAlgorithm":"STANDARD_SCRYPT","cpuMemCost":2147483648,"blockSize":4294967295,"parallelization":4294967295}"#,
                #"{"hashAlgorithm":"STANDARD_SCRYPT","cpuMemCost":16384,"blockSize":8,"parallelization":100000}"#,
                #"{"hashAlgorithm":"PBKDF_SHA1","rounds":4294967295}"#, #"{"hashAlgorithm":"PBKDF2_SHA256","rounds":2000001}"#,
                #"{"hashAlgorithm":"MD5","rounds":4294967295}"#, #"{"hashAlgorithm":"SHA512","rounds":120001}"#,
                #"{"hashAlgorithm":"ARGON2","argon2Parameters":{"hashType":"ARGON2_D","iterations":4294967295,"memoryCostKib":64,"parallelism":1}}"#,
                #"{"hashAlgorithm":"ARGON2","argon2Parameters":{"hashType":"ARGON2_D","iterations":1,"memoryCostKib":4294967295,"parallelism":1}}"#,
                // Each of them is permitted, and not together.
                #"{"hashAlgorithm":"ARGON2","argon2Parameters":{"hashType":"ARGON2_ID","iterations":16,"memoryCostKib":262144,"parallelism":1}}"#,
            ] {
                let hashing = try FirebaseHashing(config)
                #expect(!hashing.isWithin(ForeignHash.Limits()), "\(config)")
                #expect(throws: TransferProblem.self, "\(config)") {
                    try hashing.stored(hash: hash, salt: salt, ForeignHash.Limits())
                }
            }
        }
    }
}
