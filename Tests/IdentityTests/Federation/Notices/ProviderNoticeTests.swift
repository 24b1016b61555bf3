import JOSE
import Testing
import Text

@testable import Identity

/// Reading what Apple and Google send, once its signature holds.
@Suite struct ProviderNoticeTests {
    private static func claims(_ members: JSONValue) throws -> JWTClaims {
        try JWTClaims(payload: members.serialized)
    }

    private static func apple(_ events: JSONValue, jti: JSONValue = "j1") throws -> ProviderNotice {
        let claims = try claims([
            "iss": "https://appleid.apple.com", "aud": "app", "iat": 1_763_870_000, "jti": jti, "events": events,
        ])
        return try ProviderNotice(apple: claims, token: "t")
    }

    private static func google(_ events: JSONValue) throws -> ProviderNotice {
        let claims = try claims([
            "iss": "https://accounts.google.com/", "aud": ["app"], "iat": 1_763_870_000, "jti": "j1", "events": events,
        ])
        return try ProviderNotice(google: claims, token: "t", issuers: ["https://accounts.google.com/"])
    }

    @Test(
        arguments: [
            ("email-enabled", .mailForwarding(isOn: true, at: Timestamp(milliseconds: 5))),
            ("email-disabled", .mailForwarding(isOn: false, at: Timestamp(milliseconds: 5))),
            ("consent-revoked", .consentRevoked), ("account-delete", .accountDeleted), ("account-deleted", .accountDeleted),
            ("something-new", .unknown), ("", .unknown),
        ] as [(String, ProviderEvent)])
    func `Apple's events are read from a string and from an object`(type: String, event: ProviderEvent) throws {
        let object: JSONValue = ["type": .string(type), "sub": "001.a", "event_time": 5, "is_private_email": "true"]
        let text = JSONValue.string(String(decoding: object.serialized, as: UTF8.self))
        for events in [object, text] {
            #expect(try Self.apple(events).occurrences == [.init(event, subject: "001.a", at: Timestamp(milliseconds: 5))])
        }
    }

    @Test func `what is not one event of Apple's is refused`() {
        let wrong: [(JSONValue, String)] = [
            ("no JSON", "events"), ("[]", "events"), (1, "events"), (nil, "events"), (["sub": "001.a"], "events.type"),
            (["type": "consent-revoked"], "sub"), (["type": "consent-revoked", "sub": ""], "sub"),
            (["type": "consent-revoked", "sub": .string(String(repeating: "x", count: 256))], "sub"),
            (#"{"type":"consent-revoked","type":"email-enabled","sub":"001.a"}"#, "events"),
        ]
        for (events, claim) in wrong {
            #expect(throws: NoticeRefusal.claim(claim)) { try Self.apple(events) }
        }
    }

    @Test func `a notice is recognised by its jti, and without one by all of it`() throws {
        let event: JSONValue = ["type": "consent-revoked", "sub": "001.a"]
        #expect(try Self.apple(event).digest == Self.apple(event).digest)
        #expect(try Self.apple(event).digest != Self.apple(event, jti: "j2").digest)
        let claims = try Self.claims(["iss": "https://appleid.apple.com", "iat": 1_763_870_000, "events": event])
        let first = try ProviderNotice(apple: claims, token: "t1")
        #expect(try first.digest == ProviderNotice(apple: claims, token: "t1").digest)
        #expect(try first.digest != ProviderNotice(apple: claims, token: "t2").digest)
    }

    private static let risc = "https://schemas.openid.net/secevent/risc/event-type/"
    private static let oauth = "https://schemas.openid.net/secevent/oauth/event-type/"

    @Test(
        arguments: [
            (risc + "sessions-revoked", nil, .sessionsRevoked), (oauth + "tokens-revoked", nil, .tokensRevoked),
            (oauth + "token-revoked", nil, .tokenRevoked),
            (risc + "account-disabled", "hijacking", .accountDisabled(.hijacking)),
            (risc + "account-disabled", "bulk-account", .accountDisabled(.bulkAccount)),
            (risc + "account-disabled", nil, .accountDisabled(.unspecified)),
            (risc + "account-disabled", "new", .accountDisabled(.unspecified)), (risc + "account-enabled", nil, .accountEnabled),
            (risc + "account-credential-change-required", nil, .credentialChangeRequired),
            (risc + "identifier-changed", nil, .unknown), (oauth + "sessions-revoked", nil, .unknown),
        ] as [(String, String?, ProviderEvent)])
    func `Google's events are read by their URIs`(uri: String, reason: String?, event: ProviderEvent) throws {
        var payload = JSONObject()
        payload["subject"] = ["subject_type": "iss-sub", "iss": "https://accounts.google.com/", "sub": "1122"]
        payload["reason"] = reason.map { .string($0) }
        let notice = try Self.google(.object(JSONObject([.init(key: uri, value: .object(payload))])))
        #expect(notice.occurrences == [.init(event, subject: "1122")])
    }

    @Test(arguments: ["iss-sub", "iss_sub", "id_token_claims"]) func `a subject is a person in each of its forms`(
        type: String
    ) throws {
        let subject: JSONValue = [
            "subject_type": .string(type), "iss": "https://accounts.google.com/", "sub": "1122", "email": "a@gmail.com",
        ]
        let uri = Self.risc + "account-enabled"
        let notice = try Self.google(.object(JSONObject([.init(key: uri, value: ["subject": subject])])))
        #expect(notice.occurrences == [.init(.accountEnabled, subject: "1122")])
    }

    @Test func `a token as the subject and a test name nobody`() throws {
        let token: JSONValue = [
            "subject_type": "oauth_token", "token_type": "refresh_token", "token_identifier_alg": "prefix", "token": "1//0abc",
        ]
        let events = JSONObject([
            .init(key: Self.oauth + "token-revoked", value: ["subject": token]),
            .init(key: Self.risc + "verification", value: ["state": "s"]),
        ])
        let expected: [ProviderNotice.Occurrence] = [
            .init(.tokenRevoked, subject: nil), .init(.verification(state: "s"), subject: nil),
        ]
        #expect(try Self.google(.object(events)).occurrences == expected)
    }

    @Test func `a person of another issuer is refused, and so is what is no event`() {
        let foreign: JSONValue = ["subject": ["subject_type": "iss-sub", "iss": "https://evil.example", "sub": "1122"]]
        let uri = Self.risc + "account-enabled"
        let wrong: [(JSONValue, String)] = [
            (.object(JSONObject([.init(key: uri, value: foreign)])), "subject.iss"),
            (.object(JSONObject([.init(key: uri, value: ["subject": "1122"])])), "subject"),
            (.object(JSONObject([.init(key: uri, value: "x")])), "events"), ([:], "events"), ("{}", "events"),
        ]
        for (events, claim) in wrong {
            #expect(throws: NoticeRefusal.claim(claim)) { try Self.google(events) }
        }
    }

    private static let issuer = NoticeIssuer(
        provider: .apple, keys: .apple, issuers: ["https://appleid.apple.com", "https://account.apple.com"],
        clientIDs: ["app", "web"], maximumAge: .seconds(86_400))

    private static func check(_ issuer: NoticeIssuer, age: Int64, iss: JSONValue, aud: JSONValue) throws {
        let claims = try claims([
            "iss": iss, "aud": aud, "iat": .integer(Sample.now.seconds - age), "exp": .integer(Sample.now.seconds - age + 1),
        ])
        try issuer.check(claims, at: Timestamp(seconds: Sample.now.seconds))
    }

    @Test func `a notice counts for a day and a minute, whatever its exp, and not before its time`() throws {
        let iss: JSONValue = "https://account.apple.com"
        for age: Int64 in [-60, 0, 86_400, 86_460] { try Self.check(Self.issuer, age: age, iss: iss, aud: "web") }
        for age: Int64 in [-61, 86_461, 1_000_000] {
            #expect(throws: NoticeRefusal.time) { try Self.check(Self.issuer, age: age, iss: iss, aud: "web") }
        }
        let ageless = NoticeIssuer(
            provider: .google, keys: .google, issuers: ["https://account.apple.com"], clientIDs: ["web"], maximumAge: nil)
        try Self.check(ageless, age: 100_000_000, iss: iss, aud: "web")
    }

    @Test func `a notice is for us and from its provider, byte by byte`() throws {
        let iss: JSONValue = "https://appleid.apple.com"
        try Self.check(Self.issuer, age: 0, iss: iss, aud: ["other", "app"])
        for wrong: JSONValue in ["https://appleid.apple.com/", "http://appleid.apple.com", "https://accounts.google.com/"] {
            #expect(throws: NoticeRefusal.issuer) { try Self.check(Self.issuer, age: 0, iss: wrong, aud: "app") }
        }
        for wrong: JSONValue in ["App", "app.dev", ["other"]] {
            #expect(throws: NoticeRefusal.audience) { try Self.check(Self.issuer, age: 0, iss: iss, aud: wrong) }
        }
        #expect(throws: NoticeRefusal.claim("iat")) {
            try Self.issuer.check(try Self.claims(["iss": iss, "aud": "app"]), at: Sample.now)
        }
    }
}
