import TestSupport
import Testing

@testable import Endpoints

/// The language of who reads, by what his browser says, and by what no browser would.
@Suite(.needsServers, .installation()) struct AcceptedLanguageTests {
    private func language(of field: String) async throws -> String? {
        var request = TestHTTPRequest("GET", "/account/email?code=x")
        request.fields = [("Accept-Language", field)]
        return try await #require(Installation.current).server.send(request).value("Content-Language")
    }

    @Test(
        arguments: [
            ("ja", "ja"), ("ja-JP,en;q=0.5", "ja"), ("en;q=0.8,ja;q=0.9", "ja"), ("en;q=0.9,ja;q=0.8", "en"),
            ("fr,ja;q=0.1", "ja"),
            ("ja;q=0.899,en;q=0.9", "en"), ("ja;q=0.1,en;q=0.09", "ja"), ("ja;q=0,en;q=0.001", "en"),
            ("en;q=0.999,ja;q=1.0", "ja"),
            ("ja; q=1", "ja"), ("ja;q=0.0009", "en"), ("de", "en"), ("", "en"),
        ])
    func `the heaviest of our languages counts`(field: String, language: String) async throws {
        #expect(try await self.language(of: field) == language)
    }

    @Test(
        arguments: [
            "nan", "NaN", "-nan", "nan(0x1)", "snan", "inf", "-inf", "infinity", "1e999", "-1", "+1", "0x1p4", "", ".", "1.2.3",
            "0,5",
            String(repeating: "9", count: 400) + ".x",
        ])
    func `a weight that is none counts for nothing, and harms nobody`(weight: String) async throws {
        #expect(try await language(of: "ja;q=\(weight),en;q=0.001") == "en")
    }

    @Test func `a weight beyond one is one`() async throws {
        #expect(try await language(of: "en;q=0.999,ja;q=\(String(repeating: "9", count: 200))") == "ja")
    }
}
