import TestSupport
import Testing
import Text

/// That an API has answered 503 in its own words, and when to come back.
func expectUnavailable(_ response: TestHTTPResponse, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(response.status == 503, "\(response.text)", sourceLocation: sourceLocation)
    #expect(response.value("Retry-After").flatMap { Int($0) } ?? 0 >= 1, sourceLocation: sourceLocation)
    #expect(response.value("Cache-Control") == "no-store", sourceLocation: sourceLocation)
    let isOAuth = response.json["error"] == "temporarily_unavailable"
    #expect(isOAuth || response.text == #"{"error":"Service unavailable"}"#, sourceLocation: sourceLocation)
    let type = isOAuth ? "application/json" : "application/json; charset=utf-8"
    #expect(response.value("Content-Type") == type, sourceLocation: sourceLocation)
}

extension TestHTTPClient {
    /// The answers of every endpoint that needs Redis, in a session that was good before.
    func answersFromRedis(_ account: Account, _ backend: Credentials) async throws -> [TestHTTPResponse] {
        let refreshToken: JSONValue = ["refreshToken": .string(account.refreshToken)]
        let login: JSONValue = ["email": .string(account.email), "password": .string(Account.password)]
        return try await [
            introspect(account.accessToken, backend), introspect("unknown", backend),
            post("/auth/refresh", refreshToken), post("/auth/login", login), post("/auth/logout", refreshToken),
            form("/oauth2/revoke", [("client_id", "app"), ("token", account.accessToken)]),
            form("/oauth2/revoke", [("client_id", "app"), ("token", account.refreshToken)]),
            get("/auth/me", bearer: account.accessToken), get("/auth/sessions", bearer: account.accessToken),
            patch("/auth/me", ["name": "x"], bearer: account.accessToken), delete("/auth/me", bearer: account.accessToken),
        ]
    }
}
