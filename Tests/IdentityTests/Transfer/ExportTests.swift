import Postgres
import Testing
import Text

@testable import Identity

extension WithStores {
    @Suite struct ExportTests {
        private func lines(_ world: World, hasHashes: Bool = true) async throws -> String {
            try await world.a.run { parts in
                var (text, next, isFirst) = ("", UserID?.none, true)
                while isFirst || next != nil {
                    let page = try await UserExport(pool: parts.postgres, hasHashes: hasHashes).page(after: next)
                    text += page.lines
                    (next, isFirst) = (page.next, false)
                }
                return text
            }
        }

        /// All rows of users as the tables have them, but for what is of this installation only.
        private func rows(_ world: World) async throws -> [String] {
            let statement = Statement(
                name: "t",
                sql: """
                    SELECT (to_jsonb(u) - 'credentials_version')::text FROM users u
                    UNION ALL SELECT (to_jsonb(a) - 'created_at')::text FROM user_aliases a
                    UNION ALL SELECT to_jsonb(i)::text FROM identities i
                    UNION ALL SELECT to_jsonb(p)::text FROM profiles p
                    UNION ALL SELECT to_jsonb(s)::text FROM app_settings s
                    ORDER BY 1
                    """)
            return try await world.a.run { parts in
                var rows: [String] = []
                for row in try await parts.postgres.query(statement, []) { rows.append(try row.string(0)) }
                return rows
            }
        }

        /// One of each kind.
        private func populate(_ world: World) async throws {
            let example = TransferHashTests.firebase[11]
            let claimed = """
                {"localId":"claimed","email":"own@town.example","providerUserInfo":[{"providerId":"google.com","rawId":"c"}]}
                """
            let text =
                (1...700).map {
                    #"{"localId":"u\#($0)","email":"U\#($0)@town.example","emailVerified":\#($0 % 2 == 0),"displayName":"Ä \"\#($0)\" \\","customAttributes":"{\"a\":null}","providerUserInfo":[{"providerId":"google.com","rawId":"\#($0)","email":"x@gmail.com"}],"passwordHash":"\#(example.hash)","salt":"\#(example.salt)","disabled":\#($0 % 3 == 0),"validSince":"1577934999","createdAt":"1577934245678","lastLoginAt":"1577934999123"}"#
                }.joined(separator: ",") + #",{"localId":"nobody"},"# + claimed
            let added = try Importing.bring(
                "[\(text)]", [Importing.firebase(try FirebaseHashing(example.config))], to: world, batch: 100)
            #expect(added.tally.added == 702)
            let member = try await world.a.signUp("own@town.example", name: "Own")
            let system = world.a.system
            try await world.a.run { parts in
                _ = try await parts.administration.setRoles(try Roles(["admin", "org:7/editor"]), of: member.id)
                var change = AppSettings.Change()
                change.theme = .light
                change.autoBackup = false
                change.biometricEnabled = true
                _ = try await AppSettingsStore(pool: parts.postgres).change(change, of: member.id)
                try await parts.administration.signOut(member.id)
                let user = try await parts.users.user(member.id)
                _ = try await ProfileStore(pool: parts.postgres, system: system).profile(of: user)
                let standing = Statement(
                    name: "standing",
                    sql: """
                        UPDATE identities SET mail_forwarding = true, mail_forwarding_changed_at = '2026-01-02 03:04:05.678+00',
                            blocked_at = '2026-01-03 03:04:05.1+00', standing_changed_at = '2026-01-04 03:04:05+00',
                            proofs_void_before = '2026-01-05 03:04:05+00', audience = 'a', email_verified = true, is_private_email = true
                        WHERE subject = '7'
                        """)
                let confirmed = Statement(
                    name: "confirmed",
                    sql: "UPDATE users SET email_confirmed_at = '2026-01-02 03:04:05.678+00' WHERE id = $1::uuid")
                _ = try await parts.postgres.query(standing, [])
                _ = try await parts.postgres.query(confirmed, [.uuid(member.id.description)])
            }
        }

        @Test func `what is written out and taken in again is the same`() async throws {
            let (written, before) = try await World.run { world in
                try await populate(world)
                return (try await lines(world), try await rows(world))
            }
            try await World.run { world in
                let format = UserFile.Format.lines(KidobanUsers(Importing.rules("jsonl")))
                let outcome = try Importing.bring(written, [format], to: world, batch: 100)
                #expect(outcome.tally.added == 703 && outcome.refused == [] && outcome.leftOut == [])
                let (again, after) = (try await lines(world), try await rows(world))
                for (one, other) in zip(after, before) where one != other {
                    #expect(one == other)
                    break
                }
                #expect(after == before)
                #expect(again == written)
                #expect(try Importing.bring(written, [format], to: world, batch: 100).tally.known == 703)
                _ = try await world.a.signIn("own@town.example")
                _ = try await world.a.signIn("u7@town.example", password: "user1password")
                let without = try await lines(world, hasHashes: false)
                #expect(!without.contains("$argon2id$") && !without.contains("$sha1$"))
            }
        }
    }
}
