import Crypto
import JOSE
import Testing
import Text

@Suite struct JWSSignerTests {
    @Test func `a signed token verifies and carries its header and payload`() throws {
        for key in try [TestKeys.elliptic.get(), TestKeys.rsa.get()] {
            let signer = JWSSigner(key: key, type: "at+jwt")
            let payload = Array(#"{"sub":"user","name":"木戸番"}"#.utf8)
            let token = try UnverifiedJWS.parse(signer.sign(payload))
            let verified = try token.verify(with: JWKSet([signer.jwk]), allowing: [key.algorithm])
            #expect(verified.payload == payload)
            #expect(verified.header.keyID == signer.keyID)
            #expect(verified.header.isType("at+jwt"))
            #expect(verified.header.algorithm == signer.algorithm)
        }
    }

    @Test func `the name of a key is its thumbprint unless one is given`() throws {
        let key = try TestKeys.elliptic.get()
        let signer = JWSSigner(key: key, type: nil)
        #expect(signer.keyID == signer.jwk.thumbprint)
        #expect(signer.keyID.utf8.count == 43)
        #expect(JWSSigner(key: key, type: nil, keyID: "2026-11").jwk.keyID == "2026-11")
    }

    @Test func `the header is the smallest JSON with the parameters in a fixed order`() throws {
        let signer = try JWSSigner(key: TestKeys.elliptic.get(), type: "at+jwt", keyID: "k\"1")
        let header = try #require(signer.sign([]).split(separator: ".").first.flatMap { Base64URL.decode($0) })
        #expect(String(decoding: header, as: UTF8.self) == #"{"alg":"ES256","kid":"k\"1","typ":"at+jwt"}"#)
        #expect(try String(decoding: signer.signedBytes([]), as: UTF8.self).contains(".."))
    }
}
