import Crypto
import Identity
import JOSE
import Server
import TestSupport
import Testing
import Text

/// Apple and Google as tests play them: one key, which a server of their own hands out, and whatever claims a test wants signed.
final class TestProvider: Sendable {
    static let appleClient = "com.example.echolog"
    static let googleClient = "echolog.apps.googleusercontent.com"
    private static let shared = Result { try TestProvider() }

    private let server: TestHTTPServer
    private let signer: JWSSigner
    private let stranger: JWSSigner

    private init() throws {
        signer = JWSSigner(key: try SigningKey.generate(.rs256()), type: nil, keyID: "test-key")
        // By the same name.
        stranger = JWSSigner(key: try SigningKey.generate(.rs256()), type: nil, keyID: "test-key")
        let keys = String(decoding: JWKSet([signer.jwk]).rendered, as: UTF8.self)
        server = try TestHTTPServer.start { request in
            switch request.target.prefix(while: { $0 != "?" }) {
            case "/tokeninfo": Self.told(request.target, after: "access_token=ya29.")
            case "/token": Self.told(request.text, after: "code=4%2F", isCode: true)
            default:
                .response(
                    status: 200, fields: ["Content-Type": "application/json", "Cache-Control": "max-age=3600"], body: keys)
            }
        }
    }

    /// Switches both providers on, with the keys of the test.
    static func configure(_ configuration: inout Configuration) {
        var (apple, google) = (
            IdentityProvider.apple(clientIDs: [appleClient]), IdentityProvider.google(clientIDs: [googleClient])
        )
        if let url = try? shared.get().server.url("/keys", host: "127.0.0.1") { (apple.keySetURL, google.keySetURL) = (url, url) }
        (configuration.federation.apple, configuration.federation.google) = (apple, google)
        configuration.providerTokens.callsPerAddress = 64
        guard let server = try? shared.get().server else { return }
        configuration.providerTokens.googleTokenInfoURL = server.url("/tokeninfo")
        configuration.providerTokens.googleTokenURL = server.url("/token")
        configuration.providerTokens.appleTokenURL = server.url("/token")
        configuration.providerTokens.googleClientSecret = SecretString("google-secret")
    }

    /// What the server was asked under a path, as far as `text` is in it.
    static func requests(_ path: String, with text: String) throws -> [TestHTTPServer.Request] {
        try shared.get().server.requests.filter { $0.target.hasPrefix(path) && ($0.target + $0.text).contains(text) }
    }

    /// An access token of Google's that the server answers with this status and body: they are written in it.
    static func accessToken(status: Int = 200, _ answer: JSONValue) -> String {
        "ya29." + telling(status, answer)
    }

    /// The same for an authorization code.
    static func code(status: Int = 200, _ answer: JSONValue) -> String {
        "4/" + telling(status, answer)
    }

    private static func telling(_ status: Int, _ answer: JSONValue) -> String {
        let content: JSONValue = ["status": .integer(Int64(status)), "answer": answer, "unique": .string(Person.unique())]
        return Base64URL.encode(content.serialized)
    }

    private static func told(_ text: String, after mark: String, isCode: Bool = false) -> TestHTTPServer.Answer {
        let token = text.firstRange(of: mark).map { text[$0.upperBound...].prefix { $0 != "&" } }
        let content = token.flatMap { Base64URL.decode(String($0)) }.flatMap { try? JSON.parse($0) }
        guard let content, let answer = content["answer"] else {
            return .response(
                status: 400, body: isCode ? #"{"error": "invalid_grant"}"# : #"{"error_description": "Invalid Value"}"#)
        }
        return .response(
            status: Int(content["status"]?.integerValue ?? 500), body: String(decoding: answer.serialized, as: UTF8.self))
    }

    /// What Google tells of an access token of a person.
    static func tokenInfo(
        _ person: Person, _ changes: KeyValuePairs<String, JSONValue> = [:]
    ) -> JSONValue {
        var object = JSONObject()
        object["aud"] = .string(googleClient)
        object["azp"] = .string(googleClient)
        object["sub"] = .string(person.subject)
        object["exp"] = .string(String(TestClock.start.seconds + 3000))
        object["expires_in"] = "3000"
        object["email"] = .string(person.email)
        object["email_verified"] = "true"
        for (name, value) in changes { object[name] = value == .null ? JSONValue?.none : value }
        return .object(object)
    }

    /// Google's id token for a person; `changes` replace claims, and `null` takes one away.
    static func google(
        _ person: Person, at now: Timestamp = TestClock.start, _ changes: KeyValuePairs<String, JSONValue> = [:],
        isForged: Bool = false
    ) throws -> String {
        let claims: KeyValuePairs<String, JSONValue> = [
            "iss": "https://accounts.google.com", "azp": .string(googleClient), "aud": .string(googleClient),
            "sub": .string(person.subject), "email": .string(person.email), "email_verified": true,
            "iat": .integer(now.seconds), "exp": .integer(now.seconds + 3600), "jti": .string(Person.unique()),
        ]
        return try sign(claims, changes, isForged: isForged)
    }

    /// Apple's, with the hash of a nonce and booleans that are strings.
    static func apple(
        _ person: Person, nonce: String? = nil, at now: Timestamp = TestClock.start,
        _ changes: KeyValuePairs<String, JSONValue> = [:], isForged: Bool = false
    ) throws -> String {
        let claims: KeyValuePairs<String, JSONValue> = [
            "iss": "https://appleid.apple.com", "aud": .string(appleClient), "sub": .string(person.subject),
            "email": .string(person.email), "email_verified": "true", "is_private_email": "false",
            "iat": .integer(now.seconds), "exp": .integer(now.seconds + 86_400), "nonce_supported": true,
            "nonce": nonce.map { .string(SHA256.hash($0).hex) } ?? .null, "jti": .string(Person.unique()),
        ]
        return try sign(claims, changes, isForged: isForged)
    }

    /// Any claims but null ones.
    static func signed(_ claims: [(String, JSONValue)], isForged: Bool = false) throws -> String {
        var object = JSONObject()
        for (name, value) in claims where value != .null { object[name] = value }
        let provider = try shared.get()
        return try (isForged ? provider.stranger : provider.signer).sign(JSONValue.object(object).serialized)
    }

    private static func sign(
        _ claims: KeyValuePairs<String, JSONValue>, _ changes: KeyValuePairs<String, JSONValue>, isForged: Bool
    ) throws -> String {
        var object = JSONObject()
        for (name, value) in claims { object[name] = value == .null ? JSONValue?.none : value }
        for (name, value) in changes { object[name] = value == .null ? JSONValue?.none : value }
        let provider = try shared.get()
        return try (isForged ? provider.stranger : provider.signer).sign(JSONValue.object(object).serialized)
    }
}

/// Somebody with an account at a provider.
struct Person: Sendable {
    let subject: String
    var email: String

    /// Somebody new. Google answers for addresses of gmail.com.
    init(at domain: String = "gmail.com") {
        let name = Self.unique()
        subject = "subject-\(name)"
        email = "person-\(name)@\(domain)"
    }

    static func unique() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36)
    }
}

extension TestHTTPClient {
    /// Signs in with an id token.
    func signIn(
        _ provider: String, _ token: String, _ members: KeyValuePairs<String, JSONValue> = [:], at path: String = "/auth/oauth"
    ) async throws -> TestHTTPResponse {
        var body = JSONObject()
        body["oauth_provider"] = .string(provider)
        body["id_token"] = .string(token)
        for (name, value) in members { body[name] = value }
        return try await post(path, .object(body))
    }
}
