import Crypto
import JOSE
import Testing
import Text

@testable import Identity

/// A provider that tests speak for. It signs whatever header and payload it is given.
struct TestIssuer: Sendable {
    static let keyID = "key-1"
    private static let rsaKey = Result { try SigningKey.generate(.rs256()) }
    private static let strangeKey = Result { try SigningKey.generate(.rs256()) }
    private static let ellipticKey = Result { try SigningKey.generate(.es256) }

    let rsa: SigningKey
    /// A key that the provider has not published.
    let stranger: SigningKey
    let elliptic: SigningKey

    init() throws {
        rsa = try Self.rsaKey.get()
        stranger = try Self.strangeKey.get()
        elliptic = try Self.ellipticKey.get()
    }

    static let appleClient = "com.x.app"
    static let googleClient = "web.apps.googleusercontent.com"
    static let iOSClient = "ios.apps.googleusercontent.com"
    static let apple = IdentityProvider.apple(clientIDs: [appleClient, "com.x.app.web"])
    static let google = IdentityProvider.google(clientIDs: [googleClient, iOSClient])

    var jwk: JWK { JWK(key: rsa.publicKey, algorithm: .rs256, keyID: Self.keyID) }

    /// As Apple writes it.
    static let header = #"{"kid":"key-1","alg":"RS256"}"#

    static let seconds = Sample.now.seconds

    /// Claims as Apple's tokens have them; `changes` replace them, and `null` takes one away.
    static func appleClaims(_ changes: JSONObject = JSONObject()) -> JSONObject {
        changed(
            [
                "iss": "https://appleid.apple.com", "aud": .string(appleClient), "exp": .integer(seconds + 86_400),
                "iat": .integer(seconds), "sub": "001234.0123456789abcdef0123456789abcdef.0456",
                "c_hash": "ZoTWzfnR1bGNg2vXlvoVOw",
                "email": "mei@icloud.example.com", "email_verified": true, "auth_time": .integer(seconds),
                "nonce_supported": true,
                "real_user_status": 2,
            ], by: changes)
    }

    /// The same for Google's.
    static func googleClaims(_ changes: JSONObject = JSONObject()) -> JSONObject {
        changed(
            [
                "iss": "https://accounts.google.com", "azp": .string(iOSClient), "aud": .string(googleClient),
                "sub": "110169484474386276334", "email": "mei@gmail.com", "email_verified": true,
                "at_hash": "HK6E_P6Dh8Y93mRNtsDB1Q",
                "name": "Mei Tanaka", "picture": "https://lh3.googleusercontent.com/a/x=s96-c", "given_name": "Mei",
                "iat": .integer(seconds), "exp": .integer(seconds + 3600), "jti": "161c9d2b3a",
            ], by: changes)
    }

    private static func changed(_ usual: JSONValue, by changes: JSONObject) -> JSONObject {
        var claims = usual.objectValue ?? JSONObject()
        for member in changes.members { claims[member.key] = member.value == .null ? Optional<JSONValue>.none : member.value }
        return claims
    }

    func token(_ claims: JSONObject, header: String = header, key: SigningKey? = nil) throws -> SecretString {
        try token(payload: String(decoding: JSONValue.object(claims).serialized, as: UTF8.self), header: header, key: key)
    }

    func token(payload: String, header: String = header, key: SigningKey? = nil) throws -> SecretString {
        let input = Self.unsigned(header: header, payload: payload)
        return SecretString(input + "." + Base64URL.encode(try (key ?? rsa).sign(Array(input.utf8))))
    }

    static func unsigned(header: String, payload: String) -> String {
        Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
    }

    /// The whole way a token takes, but for the replay memory.
    func verify(
        _ token: SecretString, _ provider: IdentityProvider = apple, nonce: String? = nil, isFromPage: Bool = false,
        now: Timestamp = Sample.now, keys: [JWK]? = nil
    ) throws(IDTokenRefusal) -> VerifiedIDToken {
        let verification = try IDTokenVerification(token, from: provider)
        let known = JWKSet(keys ?? [jwk])
        guard let key = known.key(withID: verification.keyID) else { throw .unknownKey(keyID: verification.keyID) }
        return try verification.verify(with: key, nonce: nonce.map { SecretString($0) }, isFromPage: isFromPage, now: now)
    }

    /// Why a token is refused; nil when it is accepted.
    func refusal(
        _ token: SecretString, _ provider: IdentityProvider = apple, nonce: String? = nil, isFromPage: Bool = false,
        now: Timestamp = Sample.now, keys: [JWK]? = nil
    ) -> IDTokenRefusal? {
        do throws(IDTokenRefusal) {
            _ = try verify(token, provider, nonce: nonce, isFromPage: isFromPage, now: now, keys: keys)
            return nil
        } catch {
            return error
        }
    }
}

extension JSONObject {
    init(_ value: JSONValue) {
        self = value.objectValue ?? JSONObject()
    }
}
