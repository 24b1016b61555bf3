import Crypto
import JOSE
import Testing
import Text

/// Cases of Wycheproof's `json_web_signature_test.json` and `json_web_key_test.json`; every one of them signs `foo`.
@Suite struct WycheproofTests {
    private static let elliptic =
        #"{"kty":"EC","crv":"P-256","kid":"kid-ec-sign","use":"sig","alg":"ES256","#
        + #""x":"04N0xi21hshyvBp7I167sbE_bXqyqkAPfefdklMO7wY","y":"UI8exy-C06a7DUnjIdENkxeFtHM4-l_41LqEw9nVgmw"}"#
    private static let ellipticToken =
        "eyJhbGciOiJFUzI1NiIsImtpZCI6ImtpZC1lYy1zaWduIn0.Zm9v."
        + "5cA0OHyMP7ezamUd5c9kV-FrGxdx4hbGXOdplQkutrqWrte5P-pAvsE3Ve6xSyU3YDQwUHjVVOtvcrEbbnZ8yA"
    private static let rsa =
        #"{"kty":"RSA","kid":"kid-rsa-sign","use":"sig","alg":"RS256","e":"AQAB","n":"kqGboBfAWttWPCA-0cGRgsY6SaYoIARt0B_PkaEcIq9HP"#
        + "YNdu9n6UuWHuuTHrjF_ZoQW97r5HaAorNvrMEGTGdxCHZdEtkHvNVVmrtxTBLiQCbCozXhFoIrVcr3qUBrdGnNn_M3jJi7Wg7p_-x62nS5gNG875oyheRkut"
        + "HsQXikFZwsN3q_TsPNOVlCiHy8mxzaFTUQGm-X8UYexFyAivlDSjgDJLAZSWfxd7k9Gxuwa3AUfQqQcVcegmgKGCaErQ3qQbh1x7WB6iopE3_-GZ8HMAVtR9"
        + #"AmrVscqYsnjhaCehfAI0iKKs8zXr8tISc0ORbaalrkk03H1ZrsEnDKEWQ"}"#
    private static let rsaToken =
        "eyJhbGciOiJSUzI1NiIsImtpZCI6ImtpZC1yc2Etc2lnbiJ9.Zm9v.HUwxI1-cZrZgcuOgBQ7G7NE-GrqK79l6GV1KT4DKXnSMFwC8pfZCzE7pmLE7mYpLC"
        + "IvzC87yuOjuhT0uW5oe6aaAEtR978cm-q8dfly45flqMrd_ifhi9GCsMlyi8dpQ42Ou1etZljFZuWjfyk8CN1c5DaHRwhqjScAPIFp6xmzKIRUJ_xdQfUSfS"
        + "lujLaixtScU518EoNP4oo1v7E8RAz6ZO4g2N4Xqs8OvSxYydcoTEg42QnLHe9JnXgI37Q5gSwinwaPsG3Ry56UYiLoL8mCUa74S51y02VsIgVmmGWgaXjM-i"
        + "_lCiKQDBiBnvWlka4XhVuvd6ZWibM9cbCPtPg"

    /// The error of the whole way: read the set, read the token, verify.
    private func outcome(_ key: String, _ token: String) -> JOSEError? {
        do throws(JOSEError) {
            let keys = try JWKSet.parse(Array("{\"keys\":[\(key)]}".utf8))
            let verified = try UnverifiedJWS.parse(token).verify(with: keys, allowing: [.es256, .rs256])
            #expect(String(decoding: verified.payload, as: UTF8.self) == "foo")
            return nil
        } catch {
            return error
        }
    }

    @Test func `the valid ES256 and RS256 tokens are accepted`() {
        #expect(outcome(Self.elliptic, Self.ellipticToken) == nil)
        #expect(outcome(Self.rsa, Self.rsaToken) == nil)
    }

    @Test(arguments: [
        (".Zm9v.5cA0", "ES256 with a modified payload", JOSEError.invalidSignature, ".WG9v.5cA0"),
        (".5cA0OHyM", "ES256 with a modified signature", .invalidSignature, ".XcA0OHyM"),
        (".Zm9v.", "without a payload", .invalidSignature, ".."),
        (".Zm9v.", "without a payload and its separator", .notThreeParts, "."),
        ("eyJhbGciOiJFUzI1NiIsImtpZCI6ImtpZC1lYy1zaWduIn0.", "without a header and its separator", .notThreeParts, ""),
        ("eyJhbGciOiJFUzI1NiIsImtpZCI6ImtpZC1lYy1zaWduIn0.", "without a header", .headerNotJSON(.unexpectedEnd), "."),
        ("eyJhbGciOiJFUzI1NiIsImtpZCI6ImtpZC1lYy1zaWduIn0", "with a modified key id", .unknownKey, modifiedHeader),
        ("bnZ8yA", "with an extra empty component", .notThreeParts, "bnZ8yA."),
        ("bnZ8yA", "with an extra component", .notThreeParts, "bnZ8yA.foo"),
    ])
    func `a modified token is refused`(part: String, name: String, error: JOSEError, replacement: String) throws {
        let range = try #require(Self.ellipticToken.firstRange(of: part))
        var token = Self.ellipticToken
        token.replaceSubrange(range, with: replacement)
        #expect(outcome(Self.elliptic, token) == error, "\(name)")
    }

    static let modifiedHeader = "eyJhbGciOiJFUzI1NiIsImtpZCI6IlhpZC1lYy1zaWduIn0"

    @Test(arguments: [
        ("", JOSEError.notThreeParts),
        ("Zm9v", .notThreeParts),
        (".Zm9v.", .headerNotJSON(.unexpectedEnd)),
        ("eyJhbGciOiJFUzI1NiIsImtpZCI6ImtpZC1lYy1zaWduIn0.Zm9v", .notThreeParts),
        ("eyJhbGciOiJFUzI1NiIsImtpZCI6ImtpZC1lYy1zaWduIn0.Zm9v.", .missingSignature),
        ("eyJhbGciOiJub25lIiwia2lkIjoia2lkLWFlcy1zaWduIn0.Zm9v.", .unsupportedAlgorithm),
        (
            "eyJhbGciOiJIUzI1NiIsImtpZCI6ImtpZC1lYy1zaWduIn0.Zm9v.TgWtz2FIRukBQ_mA5sgHa0Ybtgn7bl-YBPAi7Z0XdHU",
            .unsupportedAlgorithm
        ),
    ])
    func `a token without its parts or with another primitive is refused`(token: String, error: JOSEError) {
        #expect(outcome(Self.elliptic, token) == error)
    }

    @Test func `a key embedded by the attacker does not verify`() {
        let token =
            "eyJhbGciOiJFUzI1NiIsImtpZCI6ImtpZC1lYy1zaWduIiwiandrIjp7Imt0eSI6IkVDIiwia2lkIjoia2lkLWVjLXNpZ24iLCJ1c2UiOiJzaWciLCJhbG"
            + "ciOiJFUzI1NiIsIngiOiJNZG5UWkRJaERKYmZBU2RGcWFtY3BPMkNoOUdOS0sybTBNUWxoNDAyU3BvIiwieSI6Ijdhdko0bHFfV3l4LW5MUERCUTJZcHl0"
            + "dUh5TWlvMDdCVXl2bDNqYUMtMVkiLCJjcnYiOiJQLTI1NiJ9fQ.Zm9v."
            + "4jmsollQD8ZxvySzXYnIEYA4fwaZi2ZbC0aI1J4LYmW2Bn31NhKdjms2N6o51Dff5-InWXQF9m45VtTexl6yjg"
        #expect(outcome(Self.elliptic, token) == .invalidSignature)
    }

    @Test(arguments: [
        (#""alg":"ES256""#, #""alg":"ES521""#), (#""alg":"ES256""#, #""alg":"ES224""#), (#""use":"sig""#, #""use":"enc""#),
        ("Vgmw", "Vgnw"), (#""crv":"P-256""#, #""crv":"P-384""#), (#""kty":"EC""#, #""kty":"RSA""#),
    ])
    func `a key of the wrong algorithm, use, point, curve or type is not used`(part: String, replacement: String) throws {
        let range = try #require(Self.elliptic.firstRange(of: part))
        var key = Self.elliptic
        key.replaceSubrange(range, with: replacement)
        #expect(outcome(key, Self.ellipticToken) == .unknownKey)
    }

    @Test func `a key for encryption does not verify`() {
        var key = Self.rsa
        key.replace(#""use":"sig","alg":"RS256""#, with: #""use":"enc","alg":"RSA1_5""#)
        #expect(outcome(key, Self.rsaToken) == .unknownKey)
    }

    @Test func `a key of 1024 bits does not verify`() {
        let key =
            #"{"kty":"RSA","use":"sig","alg":"RS256","kid":"RS256_1024","e":"AQAB","n":"rJBIp6T1YK-RtPyvYqFFlcucqewSAA_IReSFchE8qyi"#
            + "QrbARqRlXWkB2DR8j_pJQnIpYELbQWZC5Cd0PTGAU8rMbar2AW6zpmBbi7aQf17lUBdt8XI9M9rq7FPVQ1dDdUXm1SVH_9qqWhvMPR422SbfHBEzCAtzK"
            + #"0ANDRo6qz78"}"#
        let token =
            "eyJhbGciOiJSUzI1NiIsImtpZCI6IlJTMjU2XzEwMjQifQ..AFuv9BiuEQP1Nmidc5xFw0qIT1d0NmgqakVKmJ-mMJNzg_J1L6nNXxMrSXCS6sfGIgXc4"
            + "4-vk8StVf7eIKjxozqzZ3Z2jT8AX_vp6_1WOje9jSPYEwf-3OgmD2QcyV14jXVTx9s0M8WKoYIo4_zA4qGiViE18khwGd9uqsjrJVA"
        #expect(outcome(key, token) == .unknownKey)
    }
}
