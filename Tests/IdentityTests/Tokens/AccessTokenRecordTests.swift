import Networking
import Testing
import Text

@testable import Identity

@Suite("RFC 7662 introspection") struct AccessTokenRecordTests {
    private static let installation = Installation(issuer: "https://id.example", audience: "api")
    private static let tokenID = UUID(version7At: Sample.now, random: [])

    private func record(
        audiences: [String]? = nil, owner: SessionOwner = SessionOwner(username: "A@example.com", emailVerified: true),
        methods: Set<AuthenticationMethod> = [.password], scopes: [String] = ["openid"], confirmation: KeyConfirmation? = nil
    ) throws -> AccessTokenRecord {
        AccessTokenRecord(
            subject: .user(
                Sample.userID, Sample.sessionID, GrantID(7), owner, methods: methods,
                authenticatedAt: Sample.now.adding(.seconds(-60))),
            clientID: try Sample.clientID(), tokenID: Self.tokenID, issuedAt: Sample.now,
            expiresAt: Sample.now.adding(.seconds(900)), audiences: audiences, scopes: scopes, confirmation: confirmation)
    }

    private func clientRecord() throws -> AccessTokenRecord {
        AccessTokenRecord(
            subject: .client, clientID: try Sample.clientID(), tokenID: Self.tokenID, issuedAt: Sample.now,
            expiresAt: Sample.now.adding(.seconds(900)), audiences: nil, scopes: [])
    }

    private func answer(_ record: AccessTokenRecord, for audiences: [String]? = nil) -> [UInt8]? {
        IntrospectionAnswer(Self.installation)
            .render(record.bytes(in: Self.installation), for: audiences.map { VisibleAudiences($0) })
    }

    private func json(_ record: AccessTokenRecord) throws -> JSONValue {
        try JSON.parse(try #require(answer(record)))
    }

    @Test func `the answer for a user's token has every member, the audience first`() throws {
        let expected = """
            {"active":true,"aud":"api","client_id":"phone-app","sub":"\(Sample.userID)","username":"A@example.com","email_verified":true,\
            "token_type":"Bearer","exp":1763871606,"iat":1763870706,"nbf":1763870706,"iss":"https://id.example",\
            "jti":"019aaee3-0c65-7000-8000-000000000000","scope":"openid","sid":"AAECAwQFBgcICQoLDA0ODw","auth_time":1763870646,\
            "amr":["pwd"]}
            """
        #expect(String(decoding: try #require(answer(try record())), as: UTF8.self) == expected)
    }

    @Test func `a client's own token has the client for its subject, and neither user nor session`() throws {
        let answer = try json(try clientRecord())
        let expected: JSONValue = [
            "active": true, "aud": "api", "client_id": "phone-app", "sub": "phone-app", "token_type": "Bearer",
            "exp": 1_763_871_606, "iat": 1_763_870_706, "nbf": 1_763_870_706, "iss": "https://id.example",
            "jti": .string("\(Self.tokenID)"),
        ]
        #expect(answer == expected)
    }

    @Test(arguments: ["a\"b", "a\\", "é\n", "api\",\"sub\":\"x", "\u{1}", ""])
    func `no text gets out of its place`(text: String) throws {
        let owner = SessionOwner(
            username: text, emailVerified: false, claims: JSONObject([.init(key: "x" + text, value: .string(text))]))
        let answer = try json(try record(audiences: [text, "b" + text], owner: owner, scopes: ["s" + text]))
        #expect(answer["username"] == .string(text))
        #expect(answer["aud"] == [.string(text), .string("b" + text)])
        #expect(answer["scope"] == .string("s" + text))
        #expect(answer["x" + text] == .string(text))
        #expect(answer["sub"] == .string("\(Sample.userID)"))
    }

    @Test(arguments: CustomClaims.tokenNames.sorted())
    func `no claim of a user takes the place of a member`(name: String) throws {
        let forged = SessionOwner(
            username: "A@example.com", emailVerified: true, claims: JSONObject([.init(key: name, value: "forged")]))
        let (one, other) = (try record(owner: forged), try record())
        #expect(answer(one) == answer(other))
    }

    @Test func `each audience sees a token that is for several, and nobody else`() throws {
        let record = try record(audiences: ["https://a.example", "b\"c"])
        for audience in ["https://a.example", "b\"c"] {
            #expect(answer(record, for: [audience]) != nil)
            #expect(answer(record, for: ["other", audience]) != nil)
        }
        for audience in ["api", "https://a.example/", "https://a.exampl", "", "b\\\"c", "b", "https://a.example,b\"c"] {
            #expect(answer(record, for: [audience]) == nil)
        }
        #expect(answer(record, for: []) == nil)
        #expect(answer(record) != nil)
    }

    @Test(arguments: ["ap", "api2", "API", "", "api\",\"sub\":\"x", "ap\u{131}"])
    func `a token of the installation's own audience is seen by it alone`(audience: String) throws {
        #expect(try answer(record(), for: ["api"]) != nil)
        #expect(try answer(record(), for: [audience]) == nil)
        #expect(try answer(record(audiences: [audience]), for: ["api"]) == nil)
    }

    @Test func `what another installation has stored is no record, nor is anything else`() throws {
        let bytes = try record().bytes(in: Self.installation)
        for other in [
            Installation(issuer: "https://id.example", audience: "other"), Installation(issuer: "https://other", audience: "api"),
        ] {
            #expect(IntrospectionAnswer(other).render(bytes, for: nil) == nil)
            #expect(Principal(bytes, in: other) == nil)
        }
        for length in 0..<bytes.count {
            let answer = IntrospectionAnswer(Self.installation).render(Array(bytes.prefix(length)), for: nil)
            #expect(answer == nil, "\(length) bytes")
        }
        #expect(Principal([1] + bytes.dropFirst(), in: Self.installation) == nil)
    }

    @Test func `a principal is read as it was written`() throws {
        let confirmation = try #require(KeyConfirmation(.jwkThumbprint, thumbprint: Array(0..<32)))
        let later = try #require(AuthenticationMethod("x-later"))
        let bytes = try record(
            audiences: ["a", "é\"\\"], methods: [.password, later], scopes: ["openid", "account"], confirmation: confirmation
        ).bytes(in: Self.installation)
        let principal = try #require(Principal(bytes, in: Self.installation))
        #expect(principal.subject == .user(Sample.userID, Sample.sessionID, GrantID(7)))
        #expect(principal.audiences == ["a", "é\"\\"])
        #expect(principal.scopes == ["openid", "account"])
        #expect(principal.methods == [.password, later])
        #expect(principal.authenticatedAt?.seconds == Sample.now.seconds - 60)
        #expect(principal.confirmation == confirmation)
        let client = try #require(Principal(try clientRecord().bytes(in: Self.installation), in: Self.installation))
        #expect(client.subject == .client && client.user == nil && client.audiences == ["api"] && client.methods.isEmpty)
    }

    @Test(arguments: KeyConfirmation.Member.allCases)
    func `a token that is bound to a key says so`(member: KeyConfirmation.Member) throws {
        let confirmation = try #require(KeyConfirmation(member, thumbprint: Array(0..<32)))
        let answer = try json(try record(confirmation: confirmation))
        #expect(answer["cnf"] == confirmation.json)
        #expect(answer["token_type"] == (member == .jwkThumbprint ? "DPoP" : "Bearer"))
        #expect(KeyConfirmation(member, thumbprint: Array(0..<31)) == nil)
    }

    @Test func `what is kept of a token is small`() throws {
        let record = try record(scopes: ["openid", "email", "profile", "account"])
        #expect(record.bytes(in: Self.installation).count <= 112)
    }

    @Test(arguments: [
        ["openid", "profile", "email", "offline_access", "account", "phone", "address"], ["openid2", "openi", "Openid", "pwd"],
        ["a"], [],
        ["\u{1}", "x\u{1}", "account"],
    ])
    func `scopes are told as they were given`(scopes: [String]) throws {
        let record = try record(scopes: scopes)
        #expect(try json(record)["scope"] == (scopes.isEmpty ? nil : .string(scopes.joined(separator: " "))))
        let principal = try #require(Principal(record.bytes(in: Self.installation), in: Self.installation))
        #expect(principal.scopes == Set(scopes))
    }

    @Test func `methods are told as they were given`() throws {
        let methods: Set<AuthenticationMethod> = [
            .password, .provider, .oneTimePassword, .hardwareKey, .softwareKey, .multipleFactors,
            try #require(AuthenticationMethod("pwd2")),
        ]
        let record = try record(methods: methods)
        #expect(try json(record)["amr"] == .array(methods.sorted().map { .string("\($0)") }))
        #expect(Principal(record.bytes(in: Self.installation), in: Self.installation)?.methods == methods)
    }

    @Test(arguments: [0, 1, 126, 127, 128, 255, 256, 16_383, 16_384, 70_000])
    func `a text of any length is read again`(length: Int) throws {
        let text = String(repeating: "x", count: length)
        let record = try record(
            audiences: ["a" + text, text], owner: SessionOwner(username: text, emailVerified: false), scopes: ["s" + text])
        let answer = try json(record)
        #expect(answer["username"] == .string(text) && answer["scope"] == .string("s" + text))
        #expect(answer["aud"] == [.string("a" + text), .string(text)])
        #expect(Principal(record.bytes(in: Self.installation), in: Self.installation)?.audiences == ["a" + text, text])
    }

    @Test(arguments: [-3600, -1, 0, 1, 127, 128, 900, 86_400, 400_000_000], [0, 1, 900, 31_536_000])
    func `times are told as they are`(age: Int, life: Int) throws {
        let record = AccessTokenRecord(
            subject: .user(
                Sample.userID, Sample.sessionID, .first, SessionOwner(username: nil, emailVerified: false), methods: [],
                authenticatedAt: Sample.now.adding(.seconds(-age))),
            clientID: try Sample.clientID(), tokenID: Self.tokenID, issuedAt: Sample.now,
            expiresAt: Sample.now.adding(.seconds(life)),
            audiences: nil, scopes: [])
        let answer = try json(record)
        #expect(answer["iat"] == .integer(Sample.now.seconds) && answer["exp"] == .integer(Sample.now.seconds + Int64(life)))
        #expect(answer["auth_time"] == .integer(Sample.now.seconds - Int64(age)))
        let principal = try #require(Principal(record.bytes(in: Self.installation), in: Self.installation))
        #expect(principal.subject == .user(Sample.userID, Sample.sessionID, .first))
    }

    @Test func `the answer for any other token is one and the same`() {
        #expect(String(decoding: IntrospectionAnswer.inactive, as: UTF8.self) == #"{"active":false}"#)
    }
}
