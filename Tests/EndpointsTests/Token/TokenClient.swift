import TestSupport
import Testing
import Text

/// The token resource as its client asks for it: one URL, three verbs.
extension TestHTTPClient {
    static let tokenPath = "/auth/token"

    func obtain(_ email: String, _ password: String = Account.password) async throws -> TestHTTPResponse {
        try await obtain(body: ["email_address": .string(email), "password": .string(password)])
    }

    func obtain(body: JSONValue) async throws -> TestHTTPResponse {
        var request = TestHTTPRequest.json("POST", Self.tokenPath, body.serialized)
        request.fields.append(("accept", "application/json"))
        return try await send(request)
    }

    /// As the client writes it: the scheme in lower case, no body.
    func renew(_ token: String, scheme: String = "bearer", path: String = tokenPath) async throws -> TestHTTPResponse {
        try await send("PUT", path, [("accept", "application/json"), ("Authorization", "\(scheme) \(token)")])
    }

    func drop(_ token: String, scheme: String = "bearer") async throws -> TestHTTPResponse {
        try await send("DELETE", Self.tokenPath, [("accept", "application/json"), ("Authorization", "\(scheme) \(token)")])
    }
}

/// The token object.
struct TokenPair: Equatable {
    let accessToken: String
    let refreshToken: String
    let expiresAt: Int64

    /// Checks everything that clients know of it.
    init(_ response: TestHTTPResponse, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(response.status == 200, "\(response.text)", sourceLocation: sourceLocation)
        #expect(response.value("Content-Type") == "application/json", sourceLocation: sourceLocation)
        #expect(response.value("Cache-Control") == "no-store", sourceLocation: sourceLocation)
        #expect(response.value("Pragma") == "no-cache", sourceLocation: sourceLocation)
        #expect(
            response.keys == ["access_token", "refresh_token", "token_type", "expires_at"], sourceLocation: sourceLocation)
        #expect(response.json["token_type"] == "bearer", sourceLocation: sourceLocation)
        accessToken = try #require(response.json["access_token"]?.stringValue, sourceLocation: sourceLocation)
        refreshToken = try #require(response.json["refresh_token"]?.stringValue, sourceLocation: sourceLocation)
        guard case .integer(let seconds)? = response.json["expires_at"] else {
            Issue.record("expires_at is no integer: \(response.text)", sourceLocation: sourceLocation)
            expiresAt = 0
            return
        }
        expiresAt = seconds
    }
}

extension TestHTTPClient {
    /// Somebody new, with a session of the token resource.
    func newPair(sourceLocation: SourceLocation = #_sourceLocation) async throws -> (account: Account, pair: TokenPair) {
        let account = try await signUp(sourceLocation: sourceLocation)
        return (account, try TokenPair(await obtain(account.email), sourceLocation: sourceLocation))
    }
}

/// That a bearer was refused, in the words of FastAPI.
func expectInvalidBearer(_ response: TestHTTPResponse, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(response.status == 401, sourceLocation: sourceLocation)
    #expect(response.text == #"{"detail":"Invalid authentication credentials"}"#, sourceLocation: sourceLocation)
    #expect(response.value("WWW-Authenticate") == #"Bearer error="invalid_token""#, sourceLocation: sourceLocation)
    #expect(response.value("Content-Type") == "application/json", sourceLocation: sourceLocation)
}
