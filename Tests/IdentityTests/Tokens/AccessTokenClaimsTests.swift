import Testing
import Text

@testable import Identity

@Suite("RFC 9068 access token claims") struct AccessTokenClaimsTests {
    private func payload(
        scopes: [String] = [], audiences: [String]? = nil, claims: JSONObject = JSONObject(),
        additional: JSONObject = JSONObject(), confirmation: KeyConfirmation? = nil,
        isForOwnClient: Bool = true
    ) throws -> JSONValue {
        let owner = SessionOwner(username: "A@example.com", emailVerified: true, claims: claims)
        let record = AccessTokenRecord(
            subject: .user(
                Sample.userID, Sample.sessionID, .first, owner, methods: [.password, .oneTimePassword],
                authenticatedAt: Sample.now.adding(.seconds(-60))),
            clientID: try Sample.clientID(), tokenID: UUID(version7At: Sample.now, random: []), issuedAt: Sample.now,
            expiresAt: Sample.now.adding(.milliseconds(900_999)), audiences: audiences, scopes: scopes,
            confirmation: confirmation)
        let installation = Installation(issuer: "https://id.example", audience: "api")
        return try JSON.parse(
            AccessTokenClaims(record, in: installation, isForOwnClient: isForOwnClient, additional: additional).payload)
    }

    @Test func `claims that an admin API has given a user say nothing of its id and its roles`() {
        let claims = JSONObject([
            .init(key: "roles", value: ["admin"]), .init(key: "userId", value: "forged"), .init(key: "plan", value: "pro"),
        ])
        let user = User(id: Sample.userID, email: nil, claims: claims, createdAt: Sample.now, updatedAt: Sample.now)
        #expect(SessionOwner(user).claims == JSONObject([.init(key: "plan", value: "pro")]))
    }

    @Test func `a client that is not the team's own reads nothing that the user has not let it know`() throws {
        let claims = JSONObject([.init(key: "roles", value: ["a"])])
        let userInfo = ["https://id.example/oauth2/userinfo"]
        for (scopes, audiences, email, roles) in [
            (["openid"], userInfo, nil, nil), (["openid", "email"], userInfo, "A@example.com", nil),
            (["openid"], nil, nil, ["a"]),
        ] as [([String], [String]?, JSONValue?, JSONValue?)] {
            let payload = try payload(scopes: scopes, audiences: audiences, claims: claims, isForOwnClient: false)
            #expect(payload["email"] == email && (payload["email_verified"] == nil) == (email == nil))
            #expect(payload["roles"] == roles)
        }
    }

    @Test func `every claim is there, with instants in seconds rounded down`() throws {
        let expected: JSONValue = [
            "iss": "https://id.example", "aud": "api", "sub": .string(Sample.userID.description), "client_id": "phone-app",
            "jti": "019aaee3-0c65-7000-8000-000000000000", "iat": 1_763_870_706, "nbf": 1_763_870_706, "exp": 1_763_871_607,
            "auth_time": 1_763_870_646, "amr": ["otp", "pwd"], "sid": "AAECAwQFBgcICQoLDA0ODw", "email": "A@example.com",
            "email_verified": true,
        ]
        #expect(try payload() == expected)
    }

    @Test func `a scope, several audiences and a key are there if there are any`() throws {
        #expect(try payload(scopes: ["openid", "email"])["scope"] == "openid email")
        #expect(try payload(audiences: ["a"])["aud"] == "a")
        #expect(try payload(audiences: ["a", "b"])["aud"] == ["a", "b"])
        let confirmation = try #require(KeyConfirmation(.jwkThumbprint, thumbprint: Array(0..<32)))
        #expect(try payload(confirmation: confirmation)["cnf"] == confirmation.json)
    }

    @Test func `a user's own claims and those of a protocol follow, each name once`() throws {
        let claims = JSONObject([.init(key: "roles", value: ["a", "b"]), .init(key: "userId", value: "forged")])
        let payload = try payload(claims: claims, additional: JSONObject([.init(key: "userId", value: "u")]))
        #expect(payload["userId"] == "u")
        #expect(payload["roles"] == ["a", "b"])
    }

    @Test(arguments: CustomClaims.tokenNames.sorted())
    func `no other claim takes a reserved name`(name: String) throws {
        let forged = JSONObject([.init(key: name, value: "forged")])
        #expect(try payload(claims: forged, additional: forged) == payload())
    }
}
