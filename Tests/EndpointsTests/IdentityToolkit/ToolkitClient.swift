import Endpoints
import Server
import TestSupport
import Testing
import Text

/// Calls the API as the SDKs do.
struct ToolkitClient: Sendable {
    static let project = "demo-kidoban"
    static let key = "AIzaSy-test-key"

    let http: TestHTTPClient
    /// Whether the older names are used, as iOS and Android do.
    var isLegacy = false

    static func configure(_ configuration: inout Configuration) {
        configuration.firebase.project = project
        configuration.firebase.apiKeys = [key]
    }

    static func emulate(_ configuration: inout Configuration) {
        configure(&configuration)
        configuration.firebase.isEmulator = true
        configuration.firebase.hidesAddresses = false
    }

    private static let legacy = [
        "signUp": "signupNewUser", "signInWithPassword": "verifyPassword", "lookup": "getAccountInfo", "update": "setAccountInfo",
        "signInWithIdp": "verifyAssertion", "delete": "deleteAccount", "sendOobCode": "getOobConfirmationCode",
        "resetPassword": "resetPassword",
    ]

    /// What an app calls.
    func call(_ method: String, _ body: JSONValue) async throws -> TestHTTPResponse {
        let path =
            isLegacy
            ? "/www.googleapis.com/identitytoolkit/v3/relyingparty/\(Self.legacy[method] ?? method)"
            : "/identitytoolkit.googleapis.com/v1/accounts:\(method)"
        return try await http.post("\(path)?key=\(Self.key)", body)
    }

    /// What an administrator calls.
    func admin(_ method: String, _ body: JSONValue, bearer: String = "owner") async throws -> TestHTTPResponse {
        try await http.post(
            "/identitytoolkit.googleapis.com/v1/projects/\(Self.project)/accounts\(method.isEmpty ? "" : ":")\(method)", body,
            bearer: bearer)
    }

    func refresh(_ token: String) async throws -> TestHTTPResponse {
        try await http.post(
            "/securetoken.googleapis.com/v1/token?key=\(Self.key)",
            ["grantType": "refresh_token", "refreshToken": .string(token)])
    }

    struct SignedIn {
        let localID: String
        let email: String
        let idToken: String
        let refreshToken: String

        init(_ response: TestHTTPResponse, sourceLocation: SourceLocation = #_sourceLocation) throws {
            try #require(response.status == 200, "\(response.text)", sourceLocation: sourceLocation)
            let body = response.json
            localID = body["localId"]?.stringValue ?? ""
            email = body["email"]?.stringValue ?? ""
            idToken = try #require(body["idToken"]?.stringValue, sourceLocation: sourceLocation)
            refreshToken = try #require(body["refreshToken"]?.stringValue, sourceLocation: sourceLocation)
        }

        /// The payload of the ID token.
        var claims: JSONValue? {
            let parts = idToken.split(separator: ".")
            return parts.count == 3 ? Base64URL.decode(parts[1]).flatMap { try? JSON.parse($0) } : nil
        }
    }

    func signUp(_ email: String = Account.newEmail()) async throws -> SignedIn {
        try SignedIn(
            await call(
                "signUp", ["email": .string(email), "password": .string(Account.password), "returnSecureToken": true]))
    }
}

extension TestHTTPResponse {
    /// The code of an error, with its text.
    var failure: String? { json["error"]?["message"]?.stringValue }
}
