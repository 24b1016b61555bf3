import Crypto
import JOSE
import Networking
import Postgres
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Two copies on the way from one master key to another: the first still seals with the old one and accepts the new one, the second the
    /// other way round.
    @Suite struct MasterKeyRotationTests {
        private static let old = Result { try Sample.masterKey(1) }
        private static let new = Result { try Sample.masterKey(2) }
        private static let passwords = ["nine herons on the weir", "eleven boats at the quay"]

        private static func both(_ number: Int) throws -> MasterKey {
            let (old, new) = (try old.get(), try new.get())
            return number == 0 ? old.accepting(new) : new.accepting(old)
        }

        private func withRollout(_ body: (World) async throws -> Void) async throws {
            try await World.run(
                {
                    $0.copies = 2
                    $0.masterKey = Self.both
                }, body)
        }

        private func resealing(_ world: World) throws -> Resealing {
            Resealing(pool: world.b.parts.postgres, masterKey: try Self.both(1))
        }

        private func counts(_ world: World) async throws -> [SealedCount] {
            try await world.b.run { try await Resealing.counts($0.postgres) }
        }

        @Test func `refresh tokens of each copy are good at the other, whichever key made them`() async throws {
            try await withRollout { world in
                let (old, new) = (try await world.a.signUp(), try await world.b.signIn())
                var token = old.refreshToken
                for copy in [world.b, world.a, world.b] { token = try await copy.refresh(token).refreshToken }
                token = new.refreshToken
                for copy in [world.a, world.b, world.a] { token = try await copy.refresh(token).refreshToken }
            }
        }

        @Test func `a refresh that is repeated at the other copy is no reuse`() async throws {
            try await withRollout { world in
                let member = try await world.a.signUp()
                let first = try await world.a.refresh(member.refreshToken)
                let second = try await world.b.refresh(member.refreshToken)
                // Of one generation, made with different keys: whichever the app has kept goes on.
                #expect(first.refreshToken.revealedText != second.refreshToken.revealedText)
                #expect(try await world.a.isActive(first.accessToken))
                _ = try await world.b.refresh(first.refreshToken)
                let third = try await world.a.refresh(second.refreshToken)
                _ = try await world.b.refresh(third.refreshToken)
            }
        }

        @Test func `cookies and the tokens of their forms are good at both copies`() async throws {
            try await withRollout { world in
                _ = try await world.a.signUp()
                for (maker, other) in [(world.a, world.b), (world.b, world.a)] {
                    let begun = try await maker.signInByCookie()
                    let found = try await other.session(ofCookie: begun.cookie)
                    #expect(found.session.id == begun.session.id)
                    #expect(found.formToken.matches(begun.formToken.text) && begun.formToken.matches(found.formToken.text))
                    #expect(try await maker.session(ofCookie: found.cookie).session.id == begun.session.id)
                }
            }
        }

        @Test func `tokens with a shared secret are read by both`() throws {
            let (old, new) = (try SharedSecretTokens(try Self.both(0)), try SharedSecretTokens(try Self.both(1)))
            let claims = JSONObject([JSONObject.Member(key: "exp", value: .integer(Sample.now.seconds + 60))])
            for (maker, reader) in [(old, new), (new, old)] {
                guard case .valid(claims) = reader.read(maker.sign(claims), at: Sample.now) else {
                    Issue.record("not read")
                    continue
                }
            }
            guard case .foreign = try SharedSecretTokens(try Self.new.get()).read(old.sign(claims), at: Sample.now) else {
                Issue.record("read without the old key")
                return
            }
        }

        @Test func `each copy opens what the other has sealed`() async throws {
            try await withRollout { world in
                // The first copy has made the key for ES256.
                _ = try await world.b.run { try await $0.signingKeys.load(ensuring: [.es256, .rs256]) }
                let member = try await world.a.provedMember()
                try await world.a.setPasswordAsOperator(Self.passwords[0], of: member)
                try await world.b.setPasswordAsOperator(Self.passwords[1], of: member)
                let keys = Set([try Self.old.get().id, try Self.new.get().id])
                let counts = try await counts(world)
                for column in ["signing keys", "mails", "account changes"] {
                    #expect(Set(counts.filter { $0.column == column }.compactMap(\.key)) == keys, "\(column)")
                }
                let mails = counts.filter { $0.column == "mails" }.reduce(0) { $0 + $1.count }
                for copy in world.copies {
                    let ring = try await copy.run { try await $0.signingKeys.load(ensuring: []) }
                    #expect(ring.keyIDs.count == 2)
                    let opened = try await copy.mails(to: Copy.email).count
                    #expect(opened == mails)
                }
                // The change that the first copy has sealed is undone at the second.
                let found = try await world.b.mails(to: Copy.email).first { $0.kind == .passwordChanged }
                let first = try #require(found)
                let undone = try await world.b.undo(first.link).isUndone
                #expect(undone)
            }
        }

        @Test func `when all is sealed anew the old key is needed no more`() async throws {
            try await withRollout { world in
                _ = try await world.b.run { try await $0.signingKeys.load(ensuring: [.es256, .rs256]) }
                let member = try await world.a.provedMember()
                try await world.a.setPasswordAsOperator(Self.passwords[0], of: member)
                try await world.b.setPasswordAsOperator(Self.passwords[1], of: member)
                let (old, new) = (try Self.old.get(), try Self.new.get())
                await #expect(throws: SigningKeyStore.Failure.self) { try await world.withCopy(new) { _ in } }
                let before = try await counts(world)
                let done = try await resealing(world).run()
                #expect(done.unopened == 0 && done.resealed == before.filter { $0.key == old.id }.reduce(0) { $0 + $1.count })
                #expect(Set(try await counts(world).compactMap(\.key)) == [new.id])
                #expect(try await resealing(world).run() == Resealing.Progress())
                // A session that was begun with the old key goes on with the new one after its next refresh.
                let begun = try await world.a.signIn(password: Self.passwords[1])
                let kept = try await world.b.refresh(begun.refreshToken)
                try await world.withCopy(new) { alone in
                    let ring = try await alone.run { try await $0.signingKeys.load(ensuring: []) }
                    #expect(ring.keyIDs.count == 2)
                    _ = try await alone.refresh(kept.refreshToken)
                    let isActive = try await alone.isActive(kept.accessToken)
                    #expect(isActive)
                    let code = try await alone.code(.passwordChanged)
                    let undone = try await alone.undo(code).isUndone
                    #expect(undone)
                }
            }
        }

        @Test func `provider tokens and revocations are sealed anew, each for its own grant`() async throws {
            try await withRollout { world in
                let grant = ProviderTokenOwner(provider: .apple, subject: "001.a", clientID: "app.town.example")
                let (old, new) = (try Self.old.get(), try Self.new.get())
                let sealed = Hex.encode(try SealedProviderToken(sealing: SecretString("a token"), of: grant, with: old).sealed)
                try TestDatabase.run(
                    """
                    INSERT INTO jobs (kind, topic, payload, sealed)
                    SELECT 'provider_revocation', 'apple', jsonb_build_object('subject', subject, 'client_id', 'app.town.example'),
                        decode('\(sealed)', 'hex')
                    FROM unnest(ARRAY['001.a', '001.b']) AS subject
                    """, on: world.connectionString)
                // The second is of another grant than the one that it was sealed for, and stays as it is.
                let done = try await resealing(world).run()
                #expect(done.unopened == 1)
                let rows = try TestDatabase.rows(
                    "SELECT encode(sealed, 'hex') FROM jobs WHERE payload->>'subject' = '001.a'",
                    on: world.connectionString)
                let stored = SealedProviderToken(sealed: try #require(Hex.decode(rows[0][0])))
                #expect(try stored.open(grant, with: new).revealedText == "a token")
            }
        }

        @Test func `the providers of a project are sealed anew, each for its own name`() async throws {
            try await withRollout { world in
                let (old, new) = (try Self.old.get(), try Self.new.get())
                let sealed = try Sealer(old, .projectProviders).seal(Array("{}".utf8), boundTo: Array("oidc.a".utf8))
                try TestDatabase.run(
                    """
                    INSERT INTO project_providers (name, sealed_configuration, updated_at)
                    SELECT name, decode('\(Hex.encode(sealed))', 'hex'), now() FROM unnest(ARRAY['oidc.a', 'oidc.b']) AS name
                    """, on: world.connectionString)
                // The second has another name than the one that it was sealed for, and stays as it is.
                let done = try await resealing(world).run()
                #expect(done.unopened == 1)
                let rows = try TestDatabase.rows(
                    "SELECT encode(sealed_configuration, 'hex') FROM project_providers WHERE name = 'oidc.a'",
                    on: world.connectionString)
                let stored = try #require(Hex.decode(rows[0][0]))
                let opened = try Sealer(new, .projectProviders).open(stored, boundTo: Array("oidc.a".utf8))
                #expect(Array("{}".utf8) == opened.revealedBytes)
            }
        }

        @Test func `many values, and two copies at once: each is sealed anew once`() async throws {
            try await withRollout { world in
                try await world.put(180)
                let resealing = try resealing(world)
                async let one = resealing.run()
                async let other = resealing.run()
                let done = try await [one, other]
                #expect(done.reduce(0) { $0 + $1.unopened } == 0)
                #expect(done.reduce(0) { $0 + $1.resealed } >= 180)
                #expect(Set(try await counts(world).compactMap(\.key)) == [try Self.new.get().id])
                let time = world.b.system.statementTime
                let mails = try await world.b.run { try await $0.outbox.waiting(1000, at: time) }
                #expect(mails.count >= 180 && mails.allSatisfy { $0.mail != nil })
            }
        }

        @Test func `nothing is sealed anew while a copy seals with the old key, and afterwards it is, by itself`() async throws {
            try await withRollout { world in
                let system = world.b.system
                let (old, new) = (try Self.old.get(), try Self.new.get())
                let upkeeps = try world.copies.enumerated().map { number, copy in
                    let key = try Self.both(number)
                    return MasterKeyUpkeep(
                        uses: MasterKeyUses(pool: copy.parts.postgres),
                        resealing: Resealing(pool: copy.parts.postgres, masterKey: key), masterKey: key, system: system,
                        loop: copy.loop,
                        logger: world.logger)
                }
                for number in [0, 1, 0, 1] {
                    let upkeep = upkeeps[number]
                    await world.copies[number].run { _ in await upkeep.look() }
                    #expect(Set(try await counts(world).compactMap(\.key)) == [old.id])
                }
                world.clock.advance(by: MasterKeyUse.period * 3)
                let second = upkeeps[1]
                await world.b.run { _ in await second.look() }
                #expect(Set(try await counts(world).compactMap(\.key)) == [new.id])
                #expect(world.logged.contains("sealed anew with the present master key"))
                #expect(!world.logged.contains("does not accept the master key"))
                // A copy that knows the old key only would refuse what this one makes, and this one says so.
                try await world.a.run { try await MasterKeyUses(pool: $0.postgres).note(old, at: system.statementTime) }
                await world.b.run { _ in await second.look() }
                #expect(world.logged.contains("does not accept the master key"))
            }
        }
    }
}

extension Copy {
    fileprivate func signInByCookie() async throws -> CookieSession {
        let lifetime = SessionLifetime(idle: .seconds(1800), absolute: .seconds(43_200))
        let authentication = try await parts.accounts.authenticate(
            password: SignInAttempt(.email(Self.email), passwords: [SecretString(Self.password)]), client: parts.app,
            caller: Self.caller
        ).completed()
        return try await parts.sessions.beginWithCookie(
            authentication, for: parts.app, terms: CookieTerms(use: .session, lifetime: lifetime), caller: Self.caller)
    }

    fileprivate func session(ofCookie cookie: SecretString) async throws -> CookieSession {
        try await parts.sessions.session(of: cookie, use: .session, slides: true)
    }

    fileprivate func setPasswordAsOperator(_ new: String, of member: Member) async throws {
        try await parts.administration(as: .command("an operator")).setPassword(of: member.id, to: SecretString(new))
    }
}
