import Identity
import Testing
import Text

@Suite("RFC 9068 access token claims") struct AccessTokenClaimsTests {
    private func payload(scope: String? = nil, additional: JSONObject = JSONObject()) throws -> JSONValue {
        let claims = AccessTokenClaims(
            issuer: "https://id.example", audience: "api", subject: Sample.userID, clientID: try Sample.clientID(),
            tokenID: UUID(version7At: Sample.now, random: []), issuedAt: Sample.now,
            expiresAt: Sample.now.adding(.milliseconds(900_999)), authenticatedAt: Sample.now.adding(.seconds(-60)),
            sessionID: Sample.sessionID, email: "A@example.com", emailVerified: true, scope: scope, additional: additional
        )
        return try JSON.parse(claims.payload)
    }

    @Test func `every claim is there, with instants in seconds rounded down`() throws {
        let expected: JSONValue = [
            "iss": "https://id.example", "aud": "api", "sub": .string(Sample.userID.description), "client_id": "phone-app",
            "jti": "019aaee3-0c65-7000-8000-000000000000", "iat": 1_763_870_706, "nbf": 1_763_870_706, "exp": 1_763_871_607,
            "auth_time": 1_763_870_646, "sid": "AAECAwQFBgcICQoLDA0ODw", "email": "A@example.com", "email_verified": true,
        ]
        #expect(try payload() == expected)
    }

    @Test func `a scope is there if there is one`() throws {
        #expect(try payload(scope: "openid email")["scope"] == "openid email")
    }

    @Test func `additional claims follow`() throws {
        let additional = JSONObject([
            JSONObject.Member(key: "userId", value: "u"), JSONObject.Member(key: "roles", value: ["a", "b"]),
        ])
        let payload = try payload(additional: additional)
        #expect(payload["userId"] == "u")
        #expect(payload["roles"] == ["a", "b"])
    }

    @Test(arguments: AccessTokenClaims.reservedNames.sorted())
    func `an additional claim never takes a reserved name`(name: String) throws {
        let forged = try payload(additional: JSONObject([JSONObject.Member(key: name, value: "forged")]))
        #expect(try forged == payload())
    }
}
