import JOSE
import Postgres
import Testing
import Text

@testable import Identity

extension WithStores {
    /// What becomes of users when Apple or Google tells of their accounts there.
    @Suite struct ProviderNoticesTests {
        private static let subject = "001234.abcdef.0987"

        private static func apple(
            _ type: String, jti: String = "j1", age: Int64 = 0, at time: Int64 = 0, isText: Bool = true
        ) -> JSONValue {
            let event: JSONValue = ["type": .string(type), "sub": .string(subject), "event_time": .integer(time)]
            return [
                "iss": "https://appleid.apple.com", "aud": "app.town.example", "iat": .integer(Sample.now.seconds - age),
                "jti": .string(jti), "events": isText ? .string(String(decoding: event.serialized, as: UTF8.self)) : event,
            ]
        }

        private static func google(
            _ event: String, _ members: JSONValue = [:], jti: String = "j1", age: Int64 = 0, delay: Int64? = nil
        ) -> JSONValue {
            var payload = members.objectValue ?? JSONObject()
            payload["subject"] = [
                "subject_type": "iss-sub", "iss": "https://accounts.google.com/", "sub": "112233445566778899000",
            ]
            let uri = "https://schemas.openid.net/secevent/\(event)"
            return [
                "iss": "https://accounts.google.com/", "aud": ["app.town.example"], "iat": .integer(Sample.now.seconds - age),
                "toe": delay.map { .integer(Sample.now.seconds - age - $0) } ?? .integer(Sample.now.seconds - age),
                "jti": .string(jti), "events": .object(JSONObject([.init(key: uri, value: .object(payload))])),
            ]
        }

        /// A user with a password and an identity of each provider, who has signed in with each.
        private struct Person {
            let byPassword: Member
            let byApple: Member
            let byGoogle: Member

            init(_ copy: Copy) async throws {
                byPassword = try await copy.signUp()
                try await copy.link(.apple(), to: byPassword)
                try await copy.link(.google(), to: byPassword)
                byApple = try await copy.signIn(.apple()).member
                byGoogle = try await copy.signIn(.google()).member
            }

            var id: UserID { byPassword.id }

            /// Which sessions live: by password, with Apple, with Google.
            func live(_ copy: Copy) async throws -> [Bool] {
                try await copy.active([byPassword.accessToken, byApple.accessToken, byGoogle.accessToken])
            }
        }

        /// A world in which notices can be sent.
        private static func run(_ body: (World, Context, FakeProvider) async throws -> Void) async throws {
            try await World.run { world in
                let provider = try FakeProvider()
                try await body(world, try Context(world, provider), provider)
            }
        }

        private static func send(apple claims: JSONValue, _ context: Context, _ provider: FakeProvider) async throws {
            try await context.notices.takeApple(try provider.sign(claims), caller: Copy.caller)
        }

        private static func send(google claims: JSONValue, _ context: Context, _ provider: FakeProvider) async throws {
            try await context.notices.takeGoogle(try provider.sign(claims), caller: Copy.caller)
        }

        @Test(arguments: [true, false]) func `a revoked consent drops Apple's tokens and ends the sessions that began with it`(
            isText: Bool
        ) async throws {
            try await Self.run { world, context, provider in
                let person = try await Person(world.a)
                try await context.keep("apple-refresh", of: .apple())
                try await Self.send(apple: Self.apple("consent-revoked", isText: isText), context, provider)
                #expect(try await person.live(world.a) == [true, false, true])
                #expect(try await context.counts() == [0, 0, 0])
                #expect(try await world.a.events("provider_notice").map(\.reason) == ["consent_revoked"])
                #expect(try await world.a.events("provider_notice").map(\.userID) == [person.id.description])
            }
        }

        @Test func `after a revoked consent a proof from before counts no longer, and a new one does`() async throws {
            try await Self.run { world, context, provider in
                let member = try await world.a.signIn(.apple()).member
                try await Self.send(apple: Self.apple("consent-revoked"), context, provider)
                var old = ProviderProof.apple()
                old.issuedAt = Sample.now.adding(.seconds(-62))
                await #expect(throws: IdentityError.invalidProviderToken) { try await world.a.signIn(old) }
                #expect(try await world.a.events("sign_in_failed").map(\.reason) == ["identity_barred"])
                let (again, isNew) = try await world.a.signIn(.apple())
                #expect(again.id == member.id && !isNew)
            }
        }

        @Test func `what arrives late does not undo what happened after it`() async throws {
            try await Self.run { world, context, provider in
                let person = try await Person(world.a)
                func send(_ event: String, _ members: JSONValue = [:], _ jti: String, age: Int64, delay: Int64? = nil)
                    async throws
                {
                    try await Self.send(
                        google: Self.google("risc/event-type/\(event)", members, jti: jti, age: age, delay: delay), context,
                        provider
                    )
                }
                func isBlocked() async throws -> Bool {
                    do {
                        _ = try await world.a.signIn(.google())
                        return false
                    } catch IdentityError.federation(.invalidProviderToken) {
                        return true
                    }
                }
                // Enabled 200 s ago comes after disabled 100 s ago.
                try await send("account-disabled", [:], "a", age: 100)
                try await send("account-enabled", [:], "b", age: 200)
                #expect(try await isBlocked())
                try await send("account-enabled", [:], "c", age: 50)
                #expect(try await !isBlocked())
                // Disabled 70 s ago comes after enabled 50 s ago, and ends nothing either. So it does when its notice is new.
                try await send("account-disabled", ["reason": "hijacking"], "d", age: 70)
                try await send("account-disabled", ["reason": "hijacking"], "e", age: 0, delay: 60)
                #expect(try await !isBlocked())
                #expect(try await person.live(world.a) == [true, true, true])
                try await send("account-disabled", ["reason": "hijacking"], "f", age: 0)
                #expect(try await isBlocked())
                #expect(try await person.live(world.a) == [false, false, false])
                // At the same moment the safer one counts.
                try await send("account-enabled", [:], "g", age: 0)
                #expect(try await isBlocked())
            }
        }

        @Test func `an event of an hour ago voids no proof of half an hour ago`() async throws {
            try await Self.run { world, context, provider in
                _ = try await world.a.signIn(.google())
                try await Self.send(
                    google: Self.google("risc/event-type/sessions-revoked", age: 0, delay: 3600), context, provider)
                var verifiedToken = ProviderProof.google()
                verifiedToken.issuedAt = Sample.now.adding(.seconds(-1800))
                _ = try await world.a.signIn(verifiedToken)
                verifiedToken.issuedAt = Sample.now.adding(.seconds(-3700))
                await #expect(throws: IdentityError.invalidProviderToken) { try await world.a.signIn(verifiedToken) }
            }
        }

        @Test(arguments: ["account-delete", "account-deleted"]) func `a deleted Apple account is taken off its user`(
            type: String
        ) async throws {
            try await Self.run { world, context, provider in
                let person = try await Person(world.a)
                try await context.keep("apple-refresh", of: .apple())
                try await Self.send(apple: Self.apple(type), context, provider)
                #expect(try await person.live(world.a) == [true, false, true])
                #expect(try await world.a.identities(of: person.id).map(\.provider) == [.google])
                #expect(try await world.a.user(person.id).isDisabled == false)
                #expect(try await context.counts() == [0, 0, 0])
            }
        }

        @Test func `a user whose only way in was the deleted Apple account is disabled and not deleted`() async throws {
            try await Self.run { world, context, provider in
                let member = try await world.a.signIn(.apple()).member
                try await Self.send(apple: Self.apple("account-delete"), context, provider)
                #expect(try await world.a.user(member.id).isDisabled)
                #expect(try await world.a.identities(of: member.id).isEmpty)
                #expect(try await !world.a.isActive(member.accessToken))
                #expect(try await world.a.events("user_disabled").map(\.actor) == ["system"])
            }
        }

        @Test func `mail forwarding is as the latest notice says`() async throws {
            try await Self.run { world, context, provider in
                _ = try await world.a.signIn(.relay())
                let now = Sample.now.milliseconds
                try await Self.send(apple: Self.apple("email-disabled", jti: "j1", at: now - 10), context, provider)
                #expect(try await Self.forwarding(world) == false)
                try await Self.send(apple: Self.apple("email-enabled", jti: "j2", at: now - 5), context, provider)
                #expect(try await Self.forwarding(world) == true)
                try await Self.send(apple: Self.apple("email-disabled", jti: "j3", at: now - 8), context, provider)
                #expect(try await Self.forwarding(world) == true)
                // A time that cannot be is now.
                try await Self.send(apple: Self.apple("email-disabled", jti: "j4", at: .max), context, provider)
                #expect(try await Self.forwarding(world) == false)
                try await Self.send(apple: Self.apple("email-enabled", jti: "j5", at: .min), context, provider)
                #expect(try await Self.forwarding(world) == false)
            }
        }

        private static func forwarding(_ world: World) async throws -> Bool? {
            try await world.a.parts.postgres.query(mailForwarding).first?.optionalBool(0)
        }

        private static let mailForwarding = Statement(
            name: "test_mail_forwarding", sql: "SELECT mail_forwarding FROM identities")

        @Test func `a notice that comes again does nothing again`() async throws {
            try await Self.run { world, context, provider in
                _ = try await world.a.signIn(.apple())
                let claims = Self.apple("consent-revoked")
                try await Self.send(apple: claims, context, provider)
                let again = try await world.a.signIn(.apple()).member
                try await Self.send(apple: claims, context, provider)
                #expect(try await world.a.isActive(again.accessToken))
                try await Self.send(apple: Self.apple("consent-revoked", jti: "j2"), context, provider)
                #expect(try await !world.a.isActive(again.accessToken))
            }
        }

        @Test func `a notice about nobody, or of a kind that is not known, is taken and changes nothing`() async throws {
            try await Self.run { world, context, provider in
                try await Self.send(apple: Self.apple("consent-revoked"), context, provider)
                let person = try await Person(world.a)
                try await Self.send(apple: Self.apple("something-new", jti: "j2"), context, provider)
                try await Self.send(google: Self.google("risc/event-type/something-new", jti: "j3"), context, provider)
                #expect(try await person.live(world.a) == [true, true, true])
                let reasons = try await world.a.events("provider_notice", count: 3).map(\.reason)
                #expect(reasons.compactMap(\.self).sorted() == ["consent_revoked", "unknown", "unknown"])
            }
        }

        @Test func `a hijacked Google account ends every session and signs nobody in until it is enabled again`() async throws {
            try await Self.run { world, context, provider in
                let person = try await Person(world.a)
                let disabled = Self.google("risc/event-type/account-disabled", ["reason": "hijacking"], age: 10)
                try await Self.send(google: disabled, context, provider)
                #expect(try await person.live(world.a) == [false, false, false])
                await #expect(throws: IdentityError.invalidProviderToken) { try await world.a.signIn(.google()) }
                _ = try await world.a.signIn(.apple())
                try await Self.send(google: Self.google("risc/event-type/account-enabled", jti: "j2"), context, provider)
                #expect(try await world.a.signIn(.google()).member.id == person.id)
            }
        }

        @Test func `an account that Google disables for another reason is blocked, and sessions go on`() async throws {
            try await Self.run { world, context, provider in
                let person = try await Person(world.a)
                let disabled = Self.google("risc/event-type/account-disabled", ["reason": "bulk-account"])
                try await Self.send(google: disabled, context, provider)
                #expect(try await person.live(world.a) == [true, true, true])
                await #expect(throws: IdentityError.invalidProviderToken) { try await world.a.signIn(.google()) }
            }
        }

        @Test(
            arguments: [("risc/event-type/sessions-revoked", 1), ("oauth/event-type/tokens-revoked", 0)] as [(String, Int)])
        func `revoked sessions and tokens end what began with Google`(event: String, tokensLeft: Int) async throws {
            try await Self.run { world, context, provider in
                let person = try await Person(world.a)
                try await context.keep("google-refresh", of: .google())
                try await Self.send(google: Self.google(event), context, provider)
                #expect(try await person.live(world.a) == [true, true, false])
                #expect(try await context.counts() == [tokensLeft, 0, 0])
            }
        }

        @Test func `a notice that is not its provider's is refused with the reason in the audit log`() async throws {
            try await Self.run { world, context, provider in
                let person = try await Person(world.a)
                let good = try provider.sign(Self.apple("account-delete"))
                let parts = good.split(separator: ".").map(String.init)
                let other = try provider.sign(Self.apple("account-delete", jti: "j9")).split(separator: ".").map(String.init)
                let forged: [(String, NoticeRefusal)] = [
                    ("", .token(.notThreeParts)), (parts[0] + "." + other[1] + "." + parts[2], .token(.invalidSignature)),
                    (try provider.sign(Self.google("risc/event-type/sessions-revoked")), .issuer),
                    (try provider.sign(Self.apple("account-delete", age: 86_461)), .time),
                    (try Self.unsigned(parts[1]), .token(.unsupportedAlgorithm)),
                ]
                for (token, refusal) in forged {
                    await #expect(throws: NoticeFailure.refused(refusal)) {
                        try await context.notices.takeApple(token, caller: Copy.caller)
                    }
                }
                #expect(try await person.live(world.a) == [true, true, true])
                let reasons = try await world.a.events("provider_notice_refused", count: forged.count).map(\.reason)
                #expect(reasons.compactMap(\.self).sorted() == forged.map(\.1.reason).sorted())
            }
        }

        @Test func `a flood of what is no notice is put on record once a minute`() async throws {
            try await Self.run { world, context, provider in
                func flood() async {
                    for _ in 0..<100 {
                        await #expect(throws: NoticeFailure.refused(.token(.notThreeParts))) {
                            try await context.notices.takeApple("x", caller: Copy.caller)
                        }
                    }
                }
                await flood()
                try await world.pass(.seconds(60))
                await flood()
                // Another reason is another matter.
                await #expect(throws: NoticeFailure.refused(.issuer)) {
                    try await context.notices.takeApple(
                        try provider.sign(Self.google("risc/event-type/sessions-revoked")), caller: Copy.caller)
                }
                let reasons = try await world.a.events("provider_notice_refused", count: 3).map(\.reason)
                #expect(reasons.compactMap(\.self).sorted() == ["issuer", "not_three_parts", "not_three_parts"])
            }
        }

        private static func unsigned(_ payload: String) throws -> String {
            Base64URL.encode(Array(#"{"alg":"none","kid":"provider-key-1"}"#.utf8)) + "." + payload + ".AAAA"
        }

        @Test func `a notice of a day ago still counts`() async throws {
            try await Self.run { world, context, provider in
                let person = try await Person(world.a)
                try await Self.send(apple: Self.apple("consent-revoked", age: 86_400), context, provider)
                #expect(try await person.live(world.a) == [true, false, true])
            }
        }
    }
}
