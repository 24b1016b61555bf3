import Crypto
import Testing
import Text

@testable import Identity

@Suite struct NonceTests {
    private let issuer: TestIssuer

    init() throws {
        issuer = try TestIssuer()
    }

    private static let hash = SHA256.hash("n-0S6_WzA2Mj").hex

    private func reason(
        sent: String?, claimed: JSONValue, rule: NonceRule = NonceRule(form: .plainOrHashed), supported: JSONValue = nil,
        isFromPage: Bool = false
    ) throws -> String? {
        var provider = TestIssuer.apple
        provider.nonceRule = rule
        let claims = TestIssuer.appleClaims(JSONObject(["nonce": claimed, "nonce_supported": supported]))
        return issuer.refusal(try issuer.token(claims), provider, nonce: sent, isFromPage: isFromPage)?.reason
    }

    @Test func `Apple's may be the nonce or its hash`() throws {
        #expect(try reason(sent: "n-0S6_WzA2Mj", claimed: "n-0S6_WzA2Mj") == nil)
        #expect(try reason(sent: "n-0S6_WzA2Mj", claimed: .string(Self.hash)) == nil)
    }

    @Test func `any other provider's is the nonce itself`() throws {
        #expect(try reason(sent: "n-0S6_WzA2Mj", claimed: "n-0S6_WzA2Mj", rule: NonceRule()) == nil)
        #expect(try reason(sent: "n-0S6_WzA2Mj", claimed: .string(Self.hash), rule: NonceRule()) == "nonce_differs")
    }

    @Test func `where the hash is demanded, the nonce itself is not enough`() throws {
        let rule = NonceRule(.required, form: .hashed)
        #expect(try reason(sent: "n-0S6_WzA2Mj", claimed: .string(Self.hash), rule: rule) == nil)
        #expect(try reason(sent: "n-0S6_WzA2Mj", claimed: "n-0S6_WzA2Mj", rule: rule) == "nonce_differs")
        #expect(try reason(sent: Self.hash, claimed: .string(Self.hash), rule: rule) == "nonce_differs")
    }

    @Test func `another nonce is refused, if only its case differs`() throws {
        #expect(try reason(sent: "n-0S6_WzA2Mj", claimed: "N-0s6_WzA2Mj") == "nonce_differs")
        #expect(try reason(sent: "n-0S6_WzA2Mj", claimed: .string(Self.hash.uppercased())) == "nonce_differs")
        #expect(try reason(sent: "n-0S6_WzA2Mj", claimed: .string(String(Self.hash.dropLast()))) == "nonce_differs")
        #expect(try reason(sent: "", claimed: .string(SHA256.hash("").hex)) == "nonce_differs")
    }

    @Test func `both have one, or neither`() throws {
        #expect(try reason(sent: nil, claimed: nil) == nil)
        #expect(try reason(sent: "n", claimed: nil) == "nonce_not_in_token")
        #expect(try reason(sent: nil, claimed: "n") == "nonce_not_expected")
    }

    @Test func `where one is required, neither is not enough`() throws {
        #expect(try reason(sent: nil, claimed: nil, rule: NonceRule(.required, form: .plainOrHashed)) == "nonce_not_sent")
    }

    @Test(arguments: [(JSONValue.bool(true), false), ("true", false), (false, true), ("false", true), (0, false)])
    func `only a device that says it cannot bind a nonce may leave it out`(_ supported: JSONValue, _ isExcused: Bool) throws {
        #expect(try (reason(sent: "n", claimed: nil, supported: supported) == nil) == isExcused)
        #expect(try reason(sent: "n", claimed: "other", supported: supported) == "nonce_differs")
    }

    @Test func `a web page needs one, whatever the token says of its device`() throws {
        #expect(try reason(sent: nil, claimed: nil, isFromPage: true) == "nonce_not_sent_by_page")
        #expect(try reason(sent: "n", claimed: nil, supported: false, isFromPage: true) == "nonce_not_in_token")
        #expect(try reason(sent: "n", claimed: "n", isFromPage: true) == nil)
    }

    @Test func `only Apple's devices may leave it out`() throws {
        let token = try issuer.token(TestIssuer.googleClaims(JSONObject(["nonce_supported": false])))
        #expect(issuer.refusal(token, TestIssuer.google, nonce: "n")?.reason == "nonce_not_in_token")
    }

    @Test(arguments: ["", 5, ["n"], true] as [JSONValue])
    func `a nonce that is no text is refused`(_ claimed: JSONValue) throws {
        #expect(try reason(sent: "n", claimed: claimed) == "invalid_claim_nonce")
    }
}
