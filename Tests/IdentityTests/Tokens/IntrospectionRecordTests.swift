import Identity
import Testing
import Text

@Suite("RFC 7662 introspection") struct IntrospectionRecordTests {
    private func record(
        _ token: IntrospectionRecord.Token = .access(id: UUID(version7At: Sample.now, random: [])), audience: String = "api",
        scope: String? = "openid"
    ) throws -> IntrospectionRecord {
        IntrospectionRecord(
            token: token, issuer: "https://id.example", audience: audience, subject: Sample.userID, username: "A@example.com",
            emailVerified: true, clientID: try Sample.clientID(), sessionID: Sample.sessionID, issuedAt: Sample.now,
            expiresAt: Sample.now.adding(.seconds(900)), scope: scope
        )
    }

    @Test func `the answer for an access token has every member, the audience first`() throws {
        let expected = """
            {"active":true,"aud":"api","client_id":"phone-app","sub":"\(Sample.userID)","username":"A@example.com","email_verified":true,\
            "token_type":"Bearer","exp":1763871606,"iat":1763870706,"nbf":1763870706,"iss":"https://id.example",\
            "jti":"019aaee3-0c65-7000-8000-000000000000","scope":"openid","sid":"AAECAwQFBgcICQoLDA0ODw"}
            """
        #expect(String(decoding: try record().bytes, as: UTF8.self) == expected)
    }

    @Test func `the answer for a refresh token has neither type, id, audience nor scope`() throws {
        let answer = try JSON.parse(try record(.refresh).bytes)
        #expect(answer["active"] == true)
        #expect(answer["token_type"] == nil)
        #expect(answer["jti"] == nil)
        #expect(answer["scope"] == nil)
        #expect(answer["aud"] == nil)
        #expect(answer["exp"] == 1_763_871_606)
    }

    @Test func `the answer for any other token is one and the same`() {
        #expect(String(decoding: IntrospectionRecord.inactive, as: UTF8.self) == #"{"active":false}"#)
    }

    @Test(arguments: ["api", "https://api.example/", "", "a\"b", "a\\", "é\n", "api\",\"sub\":\"x"])
    func `a record begins with the prefix of its audience`(audience: String) throws {
        #expect(try record(audience: audience).bytes.starts(with: IntrospectionRecord.prefix(audience: audience)))
    }

    @Test(arguments: ["ap", "api2", "API", "", "api\",\"sub\":\"x", "ap\u{131}"])
    func `a record begins with no other audience's prefix`(audience: String) throws {
        #expect(try !record(audience: "api").bytes.starts(with: IntrospectionRecord.prefix(audience: audience)))
        #expect(try !record(audience: audience).bytes.starts(with: IntrospectionRecord.prefix(audience: "api")))
    }
}
