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
        server = try TestHTTPServer.start { _ in
            .response(status: 200, fields: ["Content-Type": "application/json", "Cache-Control": "max-age=3600"], body: keys)
        }
    }

    /// Switches both providers on, with the keys of the test.
    static func configure(_ configuration: inout Configuration) {
        var (apple, google) = (
            IdentityProvider.apple(clientIDs: [appleClient]), IdentityProvider.google(clientIDs: [googleClient])
        )
        if let url = try? shared.get().server.url("/keys", host: "127.0.0.1") { (apple.keySetURL, google.keySetURL) = (url, url) }
        (configuration.federation.apple, configuration.federation.google) = (apple, google)
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
