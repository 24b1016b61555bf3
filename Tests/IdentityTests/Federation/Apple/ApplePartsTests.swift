import Crypto
import JOSE
import Testing
import Text

@testable import Identity

/// What is said to Apple's token endpoint and what it says, as values.
@Suite struct ApplePartsTests {
    @Test func `a client secret is an ES256 token of the team for Apple, good for five minutes`() throws {
        let (key, pem) = try Sample.appleKey()
        let privateKey = try #require(AppleCredentials.PrivateKey(pem: pem))
        let credentials = AppleCredentials(teamID: "TEAM123456", keyID: "KEY1234567", key: privateKey)
        let secret = try credentials.clientSecret(for: "app.town.example", at: Sample.now).revealedText
        let jwk = JWK(key: key.publicKey, algorithm: .es256, keyID: "KEY1234567")
        let verified = try UnverifiedJWS.parse(secret).verify(with: JWKSet([jwk]), allowing: [.es256])
        let claims = try verified.claims()
        #expect(claims.issuer == "TEAM123456" && claims.subject == "app.town.example")
        #expect(claims.audience == ["https://appleid.apple.com"])
        #expect(claims.issuedAt?.seconds == Sample.now.seconds)
        #expect(claims.expiresAt?.seconds == Sample.now.seconds + 300)
        #expect(verified.header.type == nil)
    }

    @Test func `a key that is not on P-256 is none for Apple`() throws {
        let rsa = try SigningKey.generate(.rs256())
        #expect(AppleCredentials.PrivateKey(pem: try Sample.pem(rsa)) == nil)
        #expect(AppleCredentials.PrivateKey(pem: SecretString("no key")) == nil)
    }

    // OpenID Connect Core, appendix A.4 and A.6.
    @Test(
        arguments: [
            ("LDktKdoQak3Pk0cnXxCltA", "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk"),
            ("77QmUPtjPfzWtF2AnpK9RQ", "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"),
        ])
    func `a hash belongs to its code or token and to no other`(hash: String, secret: String) {
        #expect(TokenHash.matches(hash, SecretString(secret)))
        #expect(!TokenHash.matches(hash, SecretString(secret + "x")))
        #expect(!TokenHash.matches(hash + "A", SecretString(secret)))
        #expect(!TokenHash.matches("", SecretString(secret)))
    }

    @Test func `a form keeps its names and values apart`() {
        var form = FormBody()
        form.append("a", "1&b=2 +é~")
        form.append("c", SecretString("="))
        #expect(String(decoding: form.bytes, as: UTF8.self) == "a=1%26b%3D2%20%2B%C3%A9~&c=%3D")
    }

    @Test func `an answer needs a refresh token and an id token`() {
        let whole = #"{"access_token":"a","token_type":"Bearer","expires_in":3600,"refresh_token":"r","id_token":"i"}"#
        #expect(AppleTokens(parsing: Array(whole.utf8))?.refreshToken.revealedText == "r")
        let wrong = [
            #"{"refresh_token":"r"}"#, #"{"id_token":"i"}"#, #"{"refresh_token":"","id_token":"i"}"#,
            #"{"refresh_token":1,"id_token":"i"}"#, "[]", "",
        ]
        for text in wrong { #expect(AppleTokens(parsing: Array(text.utf8)) == nil) }
        for length in 0..<whole.utf8.count { #expect(AppleTokens(parsing: Array(whole.utf8.prefix(length))) == nil) }
    }

    @Test func `an error is told by its code, and by nothing else that the provider sent`() {
        #expect(ProviderCall.failure(400, Array(#"{"error":"invalid_grant"}"#.utf8)) == .refused(.invalidGrant))
        #expect(ProviderCall.failure(400, Array(#"{"error":"<script>"}"#.utf8)) == .refused(.other))
        #expect(ProviderCall.failure(400, Array("oops".utf8)) == .unexpectedStatus(400))
    }
}
