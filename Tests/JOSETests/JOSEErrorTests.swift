import JOSE
import Testing
import Text

@Suite struct JOSEErrorTests {
    @Test(arguments: [
        (JOSEError.tooLarge, "too_large"), (.invalidBase64URL(.payload), "invalid_base64url_payload"),
        (.headerNotJSON(.duplicateMember), "header_not_json_duplicate_member"),
        (.invalidHeaderParameter("kid"), "invalid_header_kid"),
        (.invalidClaim("exp"), "invalid_claim_exp"), (.expired, "expired"),
    ])
    func `every reason is a stable name without spaces`(error: JOSEError, reason: String) {
        #expect(error.reason == reason)
    }
}
