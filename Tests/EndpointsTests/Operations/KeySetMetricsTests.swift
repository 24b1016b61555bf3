import Crypto
import HTTP
import Identity
import JOSE
import Server
import TestSupport
import Testing
import Text

@Suite(.timeLimit(.minutes(5)), .enabled(if: TestDatabase.server != nil, Comment(rawValue: TestDatabase.reason)))
struct KeySetMetricsTests {
    private func provider(_ name: String, _ server: TestHTTPServer) throws -> IdentityProvider {
        IdentityProvider(
            id: try #require(ProviderID(name)), issuers: ["https://\(name).example"], keySetURL: server.url("/keys"),
            clientIDs: ["app"])
    }

    @Test func `key sets are fetched at the start, and those that cannot be had hold nothing up`() async throws {
        let key = JWK(key: try SigningKey.generate(.es256).publicKey, algorithm: .es256)
        let body = String(decoding: JWKSet([key]).rendered, as: UTF8.self)
        let good = try TestHTTPServer.start { _ in .response(status: 200, body: body) }
        let silent = try TestHTTPServer.start { _ in .silence }
        let broken = try TestHTTPServer.start { _ in .response(status: 500) }
        let providers = [try provider("good", good), try provider("silent", silent), try provider("broken", broken)]
        try await Installation(configured: providers).run { installation in
            let operations = installation.copies[0].operations
            #expect(try await operations.send("GET", "/health/ready").status == 200)
            try await eventually {
                let text = try await operations.send("GET", "/metrics").text
                return text.contains(#"kidoban_key_set_fetches_total{provider="good",outcome="succeeded"} 1"#)
                    && !text.contains(#"kidoban_key_set_fetches_total{provider="broken",outcome="status"} 0"#)
            }
            let text = try await operations.send("GET", "/metrics").text
            #expect(text.contains(#"kidoban_key_set_keys{provider="good"} 1"#))
            #expect(text.contains(#"kidoban_key_set_keys{provider="broken"} 0"#))
            #expect(text.contains(#"kidoban_key_set_age_seconds{provider="good"} "#))
            #expect(!text.contains(#"kidoban_key_set_age_seconds{provider="silent"}"#))
        }
    }
}

extension Installation {
    fileprivate convenience init(configured providers: [IdentityProvider]) throws {
        try self.init { $0.federation.others = providers }
    }
}
