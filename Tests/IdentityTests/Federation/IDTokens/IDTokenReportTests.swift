import JOSE
import Testing
import Text

@testable import Identity

@Suite struct IDTokenReportTests {
    private let issuer: TestIssuer

    init() throws {
        issuer = try TestIssuer()
    }

    private func report(_ token: SecretString, key: KeySetLookup? = nil) -> IDTokenReport {
        let key = key ?? .key(issuer.jwk)
        return IDTokenReport(token, from: TestIssuer.apple, nonce: nil, now: Sample.now) { _ in key }
    }

    private func failed(_ report: IDTokenReport) -> [IDTokenCheck] {
        report.verdicts.filter { if case .fails = $0.verdict { true } else { false } }.map(\.check)
    }

    @Test func `of a good token every check holds, in order`() throws {
        let report = report(try issuer.token(TestIssuer.appleClaims()))
        #expect(report.isGood)
        #expect(report.verdicts.map(\.check) == IDTokenCheck.allCases)
    }

    @Test func `every claim that is wrong is named`() throws {
        let claims = TestIssuer.appleClaims(JSONObject(["iss": "x", "aud": "com.x.app.dev", "exp": 5, "nonce": "n"]))
        let report = report(try issuer.token(claims))
        #expect(failed(report) == [.issuer, .audience, .times, .nonce])
        #expect(!report.isGood)
        let audience = report.verdicts.first { $0.check == .audience }?.verdict
        let explanation = "aud is com.x.app.dev, configured are com.x.app, com.x.app.web"
        #expect(audience == .fails(reason: "wrong_audience", explanation: explanation))
    }

    @Test func `nothing is looked at beyond a signature that does not hold`() throws {
        let report = report(try issuer.token(TestIssuer.appleClaims(), key: issuer.stranger))
        #expect(failed(report) == [.signature])
        #expect(report.verdicts.prefix(3).allSatisfy { $0.verdict == .holds })
        #expect(report.verdicts.dropFirst(4).allSatisfy { $0.verdict == .notMade })
    }

    @Test func `each check before the claims is named when it fails`() throws {
        #expect(failed(report(SecretString("x"))) == [.form])
        #expect(
            failed(report(try issuer.token(TestIssuer.appleClaims(), header: #"{"alg":"HS256","kid":"key-1"}"#))) == [.algorithm])
        #expect(failed(report(try issuer.token(TestIssuer.appleClaims(), header: #"{"alg":"RS256"}"#))) == [.key])
        #expect(failed(report(try issuer.token(TestIssuer.appleClaims()), key: .unknownKey)) == [.key])
        #expect(failed(report(try issuer.token(TestIssuer.appleClaims()), key: .unavailable(retryAfter: .seconds(1)))) == [.key])
        #expect(failed(report(try issuer.token(payload: "[]"))) == [.payload])
    }

    @Test func `what comes from the token is escaped and cut`() throws {
        let hostile = "\u{1B}[2J\u{202E}" + String(repeating: "a", count: 1000)
        let claims = TestIssuer.appleClaims(JSONObject(["iss": .string(hostile)]))
        let refusal = try #require(issuer.refusal(try issuer.token(claims)))
        #expect(!refusal.explanation.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
        #expect(refusal.explanation.utf8.count < 400)
    }
}
