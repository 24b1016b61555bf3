import Crypto
import JOSE
import Testing
import Text

@testable import Identity

/// The shapes of tokens that Apple and Google really issue.
@Suite struct IDTokenVerificationTests {
    private let issuer: TestIssuer

    init() throws {
        issuer = try TestIssuer()
    }

    private func apple(_ changes: JSONValue = [:], nonce: String? = nil, header: String = TestIssuer.header) throws
        -> VerifiedIDToken
    {
        try issuer.verify(issuer.token(TestIssuer.appleClaims(JSONObject(changes)), header: header), nonce: nonce)
    }

    private func google(_ changes: JSONValue = [:], nonce: String? = nil) throws -> VerifiedIDToken {
        let header = #"{"alg":"RS256","kid":"key-1","typ":"JWT"}"#
        return try issuer.verify(
            issuer.token(TestIssuer.googleClaims(JSONObject(changes)), header: header), TestIssuer.google, nonce: nonce)
    }

    @Test func `a token of an iPhone is read`() throws {
        let verifiedToken = try apple()
        #expect(verifiedToken.provider == .apple)
        #expect(verifiedToken.subject == "001234.0123456789abcdef0123456789abcdef.0456")
        #expect(verifiedToken.audience == TestIssuer.appleClient)
        #expect(verifiedToken.email?.normalized == "mei@icloud.example.com")
        #expect(verifiedToken.isEmailVerified && verifiedToken.isEmailAuthoritative && !verifiedToken.isPrivateEmail)
        #expect(verifiedToken.name == nil)
        #expect(verifiedToken.codeHash == "ZoTWzfnR1bGNg2vXlvoVOw")
        #expect(verifiedToken.issuedAt.seconds == TestIssuer.seconds)
        #expect(verifiedToken.expiresAt.seconds == TestIssuer.seconds + 86_400)
    }

    @Test(arguments: ["https://appleid.apple.com", "https://account.apple.com"])
    func `both of Apple's issuers are Apple`(_ name: String) throws {
        #expect(try apple(["iss": .string(name)]).provider == .apple)
    }

    @Test func `a token for the web, from the token endpoint, is read`() throws {
        let changes: JSONValue = [
            "aud": "com.x.app.web", "exp": .integer(TestIssuer.seconds + 600), "c_hash": nil, "at_hash": "x", "nonce": "raw",
        ]
        #expect(try apple(changes, nonce: "raw").audience == "com.x.app.web")
    }

    @Test func `Apple may leave out the address after the first time`() throws {
        let verifiedToken = try apple(["email": nil, "email_verified": nil])
        #expect(verifiedToken.email == nil)
        #expect(!verifiedToken.isEmailVerified && !verifiedToken.isEmailAuthoritative && !verifiedToken.isPrivateEmail)
    }

    @Test(
        arguments: [
            (JSONValue.bool(true), true), ("true", true), (false, false), ("false", false), ("TRUE", false), (1, false),
            (nil, false),
            (["x": true], false), ([true], false), ("", false),
        ] as [(JSONValue, Bool)])
    func `only true, and true as a string, is verified`(_ value: JSONValue, _ isVerified: Bool) throws {
        #expect(try apple(["email_verified": value]).isEmailVerified == isVerified)
        #expect(try apple(["email_verified": value]).isEmailAuthoritative == isVerified)
        #expect(try google(["email_verified": value]).isEmailAuthoritative == isVerified)
    }

    @Test(arguments: [JSONValue.bool(true), "true"])
    func `a relay address is private, as a boolean or a string`(_ value: JSONValue) throws {
        #expect(try apple(["is_private_email": value]).isPrivateEmail)
        #expect(try apple(["email": "a1b2c3@privaterelay.appleid.com"]).isPrivateEmail)
        #expect(try apple(["is_private_email": "false"]).isPrivateEmail == false)
    }

    @Test func `members that nobody knows are no matter`() throws {
        #expect(try apple(["org_id": "x", "transfer_sub": "y", "extra": ["deep": [1, 2]]]).provider == .apple)
    }

    @Test func `a token of an iPhone for the web client, as GoogleSignIn makes it, is read`() throws {
        let verifiedToken = try google()
        #expect(verifiedToken.provider == .google)
        #expect(verifiedToken.subject == "110169484474386276334")
        #expect(verifiedToken.audience == TestIssuer.googleClient)
        #expect(verifiedToken.name == "Mei Tanaka")
        #expect(verifiedToken.pictureURL == "https://lh3.googleusercontent.com/a/x=s96-c")
    }

    @Test(arguments: ["https://accounts.google.com", "accounts.google.com"])
    func `both of Google's spellings are Google`(_ name: String) throws {
        #expect(try google(["iss": .string(name)]).provider == .google)
    }

    @Test func `Google's azp may be absent, and the audience itself`() throws {
        #expect(try google(["azp": nil]).provider == .google)
        #expect(try google(["azp": .string(TestIssuer.googleClient)]).provider == .google)
    }

    @Test func `an audience may be one of a list, with azp`() throws {
        let audience: JSONValue = ["other", .string(TestIssuer.googleClient)]
        #expect(try google(["aud": audience]).audience == TestIssuer.googleClient)
        #expect(try google(["aud": [.string(TestIssuer.googleClient)], "azp": nil]).audience == TestIssuer.googleClient)
    }

    @Test(arguments: [
        ("mei@gmail.com", nil, true), ("mei@town.example", nil, false), ("mei@town.example", "town.example", true),
        ("mei@town.example", "", false), ("mei@town.example", "city.example", false), ("mei@town.example", "TOWN.example", true),
        ("mei@sub.town.example", "town.example", false), ("mei@gmail.com", "town.example", true),
        ("mei@town.example", "x y", false), ("mei@notgmail.com", nil, false), ("mei@gmail.com.town.example", nil, false),
    ])
    func `Google speaks for the mailboxes that it runs`(_ email: String, _ hosted: String?, _ isAuthoritative: Bool) throws {
        let domain: JSONValue = if let hosted { .string(hosted) } else { .null }
        let verifiedToken = try google(["email": .string(email), "hd": domain])
        #expect(verifiedToken.isEmailVerified)
        #expect(verifiedToken.isEmailAuthoritative == isAuthoritative)
    }

    @Test(arguments: [
        (EmailTrust.never, false), (.whenVerified, true), (.domains(["town.example"]), true),
        (.domains(["x.town.example"]), false),
    ])
    func `any other provider speaks for the addresses that the operator says`(_ trust: EmailTrust, _ isTrusted: Bool) throws {
        var provider = try acme()
        provider.emailTrust = trust
        let claims = TestIssuer.appleClaims(JSONObject(["iss": "https://acme.example", "email": "mei@TOWN.example"]))
        let verifiedToken = try issuer.verify(issuer.token(claims), provider)
        #expect(verifiedToken.isEmailAuthoritative == isTrusted)
        // Nobody else's address looks proved by its word.
        #expect(verifiedToken.isEmailVerified == isTrusted)
        var relayed = claims
        relayed["is_private_email"] = true
        let claim = PresentedIdentity(try issuer.verify(issuer.token(relayed), provider), toldName: nil, claimedEmail: nil)
        #expect(claim.isEmailVerified == isTrusted)
        let unverified = TestIssuer.appleClaims(
            JSONObject(["iss": "https://acme.example", "email": "mei@town.example", "email_verified": false]))
        #expect(try issuer.verify(issuer.token(unverified), provider).isEmailAuthoritative == false)
    }

    @Test func `what is no address is none`() throws {
        for email in ["", "mei", "a@b", "\"x\"@town.example"] as [JSONValue] {
            #expect(try apple(["email": email]).email == nil)
            #expect(try apple(["email": email]).isEmailVerified == false)
        }
        #expect(try apple(["email": 5]).email == nil)
    }

    @Test func `another provider may sign with ES256, if that is configured`() throws {
        var provider = try acme()
        let key = JWK(key: issuer.elliptic.publicKey, algorithm: .es256, keyID: TestIssuer.keyID)
        let claims = TestIssuer.appleClaims(JSONObject(["iss": "https://acme.example"]))
        let token = try issuer.token(claims, header: #"{"alg":"ES256","kid":"key-1"}"#, key: issuer.elliptic)
        #expect(issuer.refusal(token, provider, keys: [key]) == .algorithm(.es256, accepted: [.rs256]))
        provider.algorithms = [.rs256, .es256]
        #expect(issuer.refusal(token, provider, keys: [key]) == nil)
    }

    @Test func `a token is known by what is signed, whatever signature it has`() throws {
        var provider = try acme()
        provider.algorithms = [.es256]
        let key = JWK(key: issuer.elliptic.publicKey, algorithm: .es256, keyID: TestIssuer.keyID)
        let claims = TestIssuer.appleClaims(JSONObject(["iss": "https://acme.example"]))
        let tokens = try (0..<2).map { _ in
            try issuer.token(claims, header: #"{"alg":"ES256","kid":"key-1"}"#, key: issuer.elliptic)
        }
        #expect(tokens[0].revealedText != tokens[1].revealedText)
        let providerTokens = try tokens.map { try issuer.verify($0, provider, keys: [key]) }
        #expect(providerTokens[0].digest == providerTokens[1].digest)
    }

    private func acme() throws -> IdentityProvider {
        IdentityProvider(
            id: try #require(ProviderID("acme")), issuers: ["https://acme.example"], keySetURL: "https://acme.example/keys",
            clientIDs: [TestIssuer.appleClient])
    }
}
