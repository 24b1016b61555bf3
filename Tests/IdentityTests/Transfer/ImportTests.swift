import Crypto
import Postgres
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Users of other systems, taken over into PostgreSQL.
    @Suite struct ImportTests {
        private func rules(_ source: String) -> TransferRules { Importing.rules(source) }

        private func bring(
            _ text: String, _ formats: UserFile.Format..., to world: World, batch: Int = 2,
            _ change: (inout UserImport.Options) -> Void = { _ in }
        ) throws -> Importing.Outcome {
            try Importing.bring(text, formats, to: world, batch: batch, change)
        }

        private func firebase(
            _ hashing: FirebaseHashing? = nil, isCSV: Bool = false, source: String = "firebase"
        ) -> UserFile.Format {
            Importing.firebase(hashing, isCSV: isCSV, source: source)
        }

        private func user(_ world: World, _ source: String, _ id: String) async throws -> User {
            try await Importing.user(world, source, id)
        }

        private func profile(of user: User, _ copy: Copy) async throws -> Profile {
            try await copy.run { try await ProfileStore(pool: $0.postgres, system: copy.system).profile(of: user) }
        }

        private func stored(_ email: String, _ world: World) async throws -> String {
            try await Importing.stored(email, world)
        }

        @Test func `every hash form of Firebase imports, signs in, and is an argon2id hash from then on`() async throws {
            try await World.run { world in
                for (index, example) in TransferHashTests.firebase.enumerated() {
                    let text =
                        #"{"users":[{"localId":"u\#(index)","email":"u\#(index)@town.example","passwordHash":"\#(example.hash)","salt":"\#(example.salt)"}]}"#
                    let outcome = try bring(text, firebase(try FirebaseHashing(example.config)), to: world)
                    #expect(outcome.tally.added == 1 && outcome.refused == [], "\(example.config)")
                }
                for index in TransferHashTests.firebase.indices {
                    let email = "u\(index)@town.example"
                    await #expect(throws: IdentityError.invalidCredentials) {
                        try await world.a.signIn(email, password: "user2password")
                    }
                    #expect(try await !stored(email, world).hasPrefix("$argon2id$"))
                    for _ in 0..<2 {
                        _ = try await world.a.signIn(email, password: "user1password")
                        #expect(try await stored(email, world).hasPrefix("$argon2id$v=19$m=8,t=1,p=1$"))
                    }
                }
                let left = try await world.a.run { try await $0.users.importedHashes(within: ForeignHash.Limits()) }
                #expect(left == ImportedHashes())
            }
        }

        @Test func `what users have brought along is known by its kind`() async throws {
            try await World.run { world in
                for (index, example) in TransferHashTests.firebase.enumerated() {
                    let text = #"[{"localId":"u\#(index)","passwordHash":"\#(example.hash)","salt":"\#(example.salt)"}]"#
                    _ = try bring(text, firebase(try FirebaseHashing(example.config)), to: world)
                }
                let imported = try await world.a.run { try await $0.users.importedHashes(within: ForeignHash.Limits()) }
                #expect(
                    imported.highest == [
                        .bcrypt: 5, .scrypt: 8 << 14, .pbkdf2SHA1: 1000, .pbkdf2SHA256: 1000, .argon2: 128, .digest: 3,
                    ])
                // The tables count as the program does.
                for row in try await world.a.run({
                    try await $0.postgres.query(
                        Statement(
                            name: "t",
                            sql:
                                "SELECT password_hash, password_hash_kind(password_hash), password_hash_cost(password_hash) FROM users"
                        ), [])
                }) {
                    let (kind, cost) = (try row.string(1), Int(try row.int64(2)))
                    let work = try #require(HashWork.of(try row.string(0)))
                    #expect(work.kind.rawValue == kind && work.cost == cost)
                }
            }
        }

        @Test func `a user of Firebase comes with everything`() async throws {
            try await World.run { world in
                let text = """
                    {"users": [
                      {"localId": "aB3", "email": "Anna@Town.Example", "emailVerified": true, "displayName": "Anna", "disabled": true,
                       "photoUrl": "https://img.example/a.png", "phoneNumber": "+81312345678", "createdAt": "1577934245678",
                       "lastSignedInAt": "1577934999000", "customAttributes": "{\\"plan\\":\\"gold\\"}",
                       "providerUserInfo": [{"providerId": "google.com", "rawId": "117", "email": "anna@gmail.com"},
                                            {"providerId": "apple.com", "rawId": "000.a"}, {"providerId": "password", "rawId": "x"}]},
                      {"localId": "anonymous"}
                    ]}
                    """
                #expect(try bring(text, firebase(), to: world).tally.added == 2)
                let anna = try await user(world, "firebase", "aB3")
                #expect(
                    anna.email?.typed == "Anna@Town.Example" && anna.email?.normalized == "anna@town.example"
                        && anna.emailVerified)
                #expect(anna.displayName?.text == "Anna" && anna.photoURL?.text == "https://img.example/a.png")
                #expect(
                    anna.phoneNumber == "+81312345678" && anna.claims["plan"] == "gold" && anna.isDisabled && !anna.isAnonymous)
                #expect(anna.createdAt.milliseconds == 1_577_934_245_678 && anna.lastSignInAt?.milliseconds == 1_577_934_999_000)
                let identities = try await world.a.run { try await $0.identities.identities(of: anna.id) }
                #expect(Set(identities.map { "\($0.provider) \($0.subject)" }) == ["google 117", "apple 000.a"])
                #expect(try await user(world, "firebase", "anonymous").isAnonymous)
            }
        }

        @Test func `the columns of firebase-tools are read`() async throws {
            try await World.run { world in
                let (hash, salt) = (TransferHashTests.firebase[0].hash, TransferHashTests.firebase[0].salt)
                let text =
                    "u1,anna@town.example,true,\(hash),\(salt),\"Anna, B\",https://img.example/a.png,117,anna@gmail.com,Anna,,,,,,,,,,,,,,"
                    + "1577934245678,1577934999000,+81312345678,true,\"{\"\"plan\"\":\"\"gold\"\"}\",\n"
                    + "u2,berta@town.example,false,,,,,,,,,,,,,,,,,,,,,1577934245678,,,,,\nu3,too,short\n"
                let outcome = try bring(
                    text, firebase(try FirebaseHashing(TransferHashTests.firebase[0].config), isCSV: true), to: world)
                #expect(outcome.tally.added == 2 && outcome.refused == ["3 malformed"])
                let anna = try await user(world, "firebase", "u1")
                #expect(
                    anna.displayName?.text == "Anna, B" && anna.isDisabled && anna.claims["plan"] == "gold" && anna.emailVerified)
                #expect(anna.firstProvider == .google)
                #expect(try await !user(world, "firebase", "u2").emailVerified)
            }
        }

        @Test func `a second run goes on where the first has stopped`() async throws {
            try await World.run { world in
                func file(_ count: Int) -> String {
                    #"{"users":["#
                        + (1...count).map { #"{"localId":"u\#($0)","email":"u\#($0)@town.example"}"# }.joined(separator: ",\n")
                        + "]}"
                }
                #expect(try bring(file(7), firebase(), to: world, batch: 3).tally.added == 7)
                let before = try await user(world, "firebase", "u3")
                let again = try bring(file(12), firebase(), to: world, batch: 5)
                #expect(again.tally.added == 5 && again.tally.known == 7 && again.refused == [])
                #expect(try await user(world, "firebase", "u3") == before)
                #expect(try await world.a.userCount() == 12)
            }
        }

        @Test func `a dry run says the same and writes nothing`() async throws {
            try await World.run { world in
                _ = try await world.a.signUp("taken@town.example")
                let text = """
                    [{"localId":"a","email":"a@town.example","emailVerified":true},{"localId":"b","email":"taken@town.example","emailVerified":true},{"localId":"c","email":"x"},
                     {"localId":"a","email":"other@town.example"},{"localId":"d","email":"A@town.example","emailVerified":true}]
                    """
                for batch in [1, 2, 10] {
                    let dry = try bring(text, firebase(), to: world, batch: batch) { $0.isDryRun = true }
                    #expect(dry.tally.added == 1 && dry.refused == ["2 email_taken", "3 email", "4 duplicate", "5 duplicate"])
                }
                #expect(try await world.a.userCount() == 1)
                let real = try bring(text, firebase(), to: world, batch: 1)
                #expect(real.tally.added == 1 && real.tally.refused == 4)
                #expect(real.refused == ["2 email_taken", "3 email", "4 duplicate", "5 email_taken"])
                #expect(try await world.a.userCount() == 2)
            }
        }

        @Test func `nobody gets into an account that there is`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp("anna@town.example", name: "Anna")
                _ = try bring(
                    #"[{"localId":"g","email":"berta@town.example","emailVerified":true,"providerUserInfo":[{"providerId":"google.com","rawId":"1"}]}]"#,
                    firebase(), to: world)
                let bcrypt = TransferHashTests.firebase[14]
                let text = """
                    [{"localId":"1","email":"ANNA@town.example","emailVerified":true,"passwordHash":"\(bcrypt.hash)","salt":""},
                     {"localId":"2","email":"new@town.example","providerUserInfo":[{"providerId":"google.com","rawId":"1"}]},
                     {"localId":"3","email":"berta@town.example","emailVerified":true,"providerUserInfo":[{"providerId":"apple.com","rawId":"9"}]},
                     {"localId":"\(member.id)","email":"else@town.example"}]
                    """
                let hashing = try FirebaseHashing(bcrypt.config)
                let outcome = try bring(text, firebase(hashing, source: "other"), to: world)
                #expect(outcome.refused == ["1 email_taken", "2 identity_taken", "3 email_taken", "4 id_taken"])
                // With --merge only where both sides have proved the address, and without the password.
                let merged = try bring(text, firebase(hashing, source: "other"), to: world) { $0.merges = true }
                #expect(
                    merged.refused == ["1 email_taken", "2 identity_taken", "4 id_taken"] && merged.tally.merged == 1)
                let berta = try await user(world, "other", "3")
                #expect(try await user(world, "firebase", "g").id == berta.id)
                #expect(try await world.a.run { try await $0.identities.identities(of: berta.id) }.count == 2)
                _ = try await world.a.signIn("anna@town.example")
                await #expect(throws: IdentityError.invalidCredentials) {
                    try await world.a.signIn("anna@town.example", password: "user1password")
                }
            }
        }

        @Test func `hostile files give a line each, and the good users are taken`() async throws {
            try await World.run { world in
                let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
                let lines = [
                    #"{"localId":"good","email":"good@town.example"}"#, #"{"localId":"","email":"a@town.example"}"#,
                    #"{"email":"a@town.example"}"#,
                    #"{"localId":7}"#, #"{"localId":"n\u0000ul"}"#, #"{"localId":"mail","email":"no address"}"#,
                    #"{"localId":"mail2","email":["a@town.example"]}"#, #"{"localId":"claims","customAttributes":"[]"}"#,
                    #"{"localId":"claims2","customAttributes":"{\"sub\":\"x\"}"}"#,
                    #"{"localId":"claims3","customAttributes":"{\"a\":\"\\u0000\"}"}"#,
                    #"{"localId":"dup","localId":"dup"}"#, #"{"localId":"deep","x":\#(deep)}"#,
                    #"{"localId":"hash","passwordHash":"AAAA"}"#,
                    #"{"localId":"long","email":"\#(String(repeating: "a", count: 300))@town.example"}"#,
                    #"{"localId":"name","displayName":"a\nb","photoUrl":"javascript:x","phoneNumber":"call me","createdAt":"soon"}"#,
                    #"{"localId":"\#(String(repeating: "x", count: 300))"}"#,
                    #"{"localId":"id","providerUserInfo":[{"providerId":"google.com","rawId":""}]}"#,
                    #"{"localId":"two","providerUserInfo":[{"providerId":"google.com","rawId":"5"},{"providerId":"google.com","rawId":"5"}]}"#,
                    #"{"localId":"last","email":"last@town.example"}"#,
                ]
                let outcome = try bring("[" + lines.joined(separator: ",\n") + "]", firebase(), to: world, batch: 50)
                #expect(
                    outcome.refused == [
                        "2 id", "3 id", "4 id", "5 id", "6 email", "8 claims", "9 claims", "10 claims", "11 malformed",
                        "12 malformed",
                        "13 no_hash_config", "14 email", "16 id", "17 identity", "18 duplicate",
                    ])
                #expect(outcome.leftOut == ["15 display_name", "15 photo_url", "15 phone_number", "15 time"])
                #expect(outcome.tally.added == 4 && outcome.tally.refused == 15 && outcome.tally.incomplete == 1)
            }
        }

        @Test func `Django's users keep their numbers, usernames and proved addresses`() async throws {
            try await World.run { world in
                let hashes = TransferHashTests.django
                let users = hashes.enumerated().map { index, hash in
                    #"{"model":"auth.user","pk":\#(index + 41),"fields":{"password":"\#(hash)","last_login":null,"username":"u\#(index)","first_name":"F","last_name":"L","email":"u\#(index)@town.example","is_active":true,"date_joined":"2020-01-02T03:04:05.678Z"}}"#
                }
                let text = """
                    [{"model":"account.emailaddress","pk":1,"fields":{"user":41,"email":"U0@town.example","verified":true,"primary":true}},
                     {"model":"account.emailaddress","pk":2,"fields":{"user":42,"email":"other@town.example","verified":true,"primary":true}},
                     {"model":"auth.group","pk":1,"fields":{}},
                     \(users.joined(separator: ",\n")),
                     {"model":"auth.user","pk":99,"fields":{"password":"md5$$x","username":"old","email":""}}]
                    """
                let formats: [UserFile.Format] = [
                    .django(DjangoUsers(rules("django"), .users)), .django(DjangoUsers(rules("django"), .addresses)),
                ]
                let outcome = try bring(text, formats[0], formats[1], to: world, batch: 3)
                #expect(outcome.tally.added == hashes.count && outcome.tally.proved == 1)
                #expect(outcome.refused == ["\(hashes.count + 4) password_hash"])
                for index in hashes.indices {
                    let user = try await user(world, "django", "\(index + 41)")
                    #expect(user.emailVerified == (index == 0) && user.displayName?.text == "F L")
                    _ = try await world.a.attempt(.username("u\(index)"), password: "user1password", from: "198.51.100.7")
                    #expect(try await stored("u\(index)@town.example", world).hasPrefix("$argon2id$"))
                    let profile = try await profile(of: user, world.a)
                    #expect(profile.number == Int64(index + 41) && profile.username.text == "u\(index)")
                }
                // Numbers go on behind those that were brought along.
                let id = try await world.a.signUp("next@town.example").id
                let next = try await world.a.user(id)
                let profile = try await profile(of: next, world.a)
                #expect(profile.number > 41 + Int64(hashes.count) - 1)
            }
        }

        @Test func `Supabase's users keep their ids`() async throws {
            try await World.run { world in
                let id = "0b6e3c1e-7f0e-4a3c-9a51-0d6f6f1f2a3b"
                let bcrypt = "$2a$05$hU50/.Bze3.Kjth8eLtrX.q.rsUjyju6uPCcevsKquw1LXNW/UaJe"
                let json = #"""
                    [{"id":"\#(id)","email":"anna@town.example","encrypted_password":"\#(bcrypt)","email_confirmed_at":"2024-01-02T03:04:05.678901+00:00",
                      "raw_app_meta_data":{"provider":"email","providers":["email"],"plan":"gold"},"raw_user_meta_data":{"full_name":"Anna","sub":"forged"},
                      "created_at":"2024-01-02 03:04:05.678901+00","banned_until":"2020-01-01T00:00:00+00:00","phone":"81312345678",
                      "identities":[{"provider":"google","provider_id":"117","identity_data":{"sub":"117","email":"anna@gmail.com"}}]},
                     {"id":"7","email":"x@town.example"},{"id":"\#(id.replacing("0b6e", with: "1b6e"))","deleted_at":"2024-01-02T03:04:05Z"}]
                    """#
                let outcome = try bring(json, .supabase(SupabaseUsers(rules("supabase")), isCSV: false), to: world)
                #expect(outcome.tally.added == 1 && outcome.refused == ["2 id", "3 deleted"])
                let anna = try await user(world, "supabase", id)
                #expect("\(anna.id)" == id && anna.emailVerified && !anna.isDisabled && anna.phoneNumber == "+81312345678")
                #expect(anna.claims == JSONObject([.init(key: "plan", value: "gold")]) && anna.displayName?.text == "Anna")
                let identities = try await world.a.run { try await $0.identities.identities(of: anna.id) }
                #expect(identities.map(\.subject) == ["117"])
                _ = try await world.a.signIn("anna@town.example", password: "user1password")
                let csv = """
                    id,email,encrypted_password,email_confirmed_at,raw_app_meta_data,banned_until
                    \(id.replacing("0b6e", with: "2b6e")),berta@town.example,\(bcrypt),2024-01-02 03:04:05+00,"{""provider"":""email""}",infinity
                    a,b

                    """
                let rows = try bring(csv, .supabase(SupabaseUsers(rules("supabase")), isCSV: true), to: world)
                #expect(rows.tally.added == 1 && rows.refused == ["3 malformed"])
                #expect(try await user(world, "supabase", id.replacing("0b6e", with: "2b6e")).isDisabled)
            }
        }
    }
}
