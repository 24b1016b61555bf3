import JOSE
import Testing
import Text

@Suite struct JWTClaimsTimeTests {
    private static let now = Timestamp(seconds: 1_700_000_000)
    private static let leeway: Duration = .seconds(60)

    private func problem(_ text: String, maximumAge: Duration? = nil) -> JOSEError? {
        do throws(JOSEError) {
            try JWTClaims(payload: Array(text.utf8)).checkTimes(at: Self.now, leeway: Self.leeway, maximumAge: maximumAge)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [(-61, JOSEError.expired), (-60, .expired), (-59, nil), (0, nil), (600, nil)] as [(Int64, JOSEError?)])
    func `a token ends with its leeway after exp`(offset: Int64, expected: JOSEError?) {
        #expect(problem("{\"exp\":\(Self.now.seconds + offset)}") == expected)
    }

    @Test func `a token without exp is refused`() {
        #expect(problem("{}") == .missingClaim("exp"))
    }

    @Test(arguments: [(59, nil), (60, nil), (61, JOSEError.notYetValid)] as [(Int64, JOSEError?)])
    func `a token begins with its leeway before nbf`(offset: Int64, expected: JOSEError?) {
        #expect(problem("{\"exp\":1800000000,\"nbf\":\(Self.now.seconds + offset)}") == expected)
    }

    @Test(arguments: [(60, nil), (61, JOSEError.issuedInFuture)] as [(Int64, JOSEError?)])
    func `a token is not issued in the future`(offset: Int64, expected: JOSEError?) {
        #expect(problem("{\"exp\":1800000000,\"iat\":\(Self.now.seconds + offset)}") == expected)
    }

    @Test(arguments: [(-659, nil), (-660, nil), (-661, JOSEError.issuedTooLongAgo)] as [(Int64, JOSEError?)])
    func `a token is no older than the caller accepts`(offset: Int64, expected: JOSEError?) {
        #expect(problem("{\"exp\":1800000000,\"iat\":\(Self.now.seconds + offset)}", maximumAge: .seconds(600)) == expected)
    }

    @Test func `a token of unknown age is refused where age matters`() {
        #expect(problem(#"{"exp":1800000000}"#, maximumAge: .seconds(600)) == .missingClaim("iat"))
    }
}
