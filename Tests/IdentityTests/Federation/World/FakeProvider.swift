import Crypto
import JOSE
import TestSupport
import Testing
import Text

@testable import Identity

extension Sample {
    /// A provider's key for RS256; making one takes long.
    static let providerKey = Result { try SigningKey.generate(.rs256()) }

    static func pem(_ key: SigningKey) throws -> SecretString {
        let text = Base64.encode(try key.exportPKCS8().revealedBytes)
        return SecretString("-----BEGIN PRIVATE KEY-----\n\(text)\n-----END PRIVATE KEY-----\n")
    }

    /// A team's key as Apple hands it out.
    static func appleKey() throws -> (key: SigningKey, pem: SecretString) {
        let key = try SigningKey.generate(.es256)
        return (key, try pem(key))
    }
}

/// A provider's token and revocation endpoints on this machine, in the mood that a test gives them.
final class FakeProvider: Sendable {
    enum Mood: Sendable {
        /// Gives tokens of this person for this app, and revokes.
        case good(subject: String, audience: String)
        case answers(status: Int, body: String)
        /// Says nothing until the client gives up.
        case silent
    }

    static let keyID = "provider-key-1"

    let signer: JWSSigner
    let server: TestHTTPServer
    private let mood: Locked<Mood>

    init(_ mood: Mood = .good(subject: "001234.abcdef.0987", audience: "app.town.example")) throws {
        let signer = JWSSigner(key: try Sample.providerKey.get(), type: nil, keyID: Self.keyID)
        let current = Locked(mood)
        self.signer = signer
        self.mood = current
        server = try TestHTTPServer.start { request in
            switch current.value {
            case .good(let subject, let audience):
                guard request.target == "/auth/token" else { return .response(status: 200) }
                return .response(status: 200, body: Self.tokens(subject, audience, signer))
            case .answers(let status, let body): return .response(status: status, body: body)
            case .silent: return .silence
            }
        }
    }

    func become(_ mood: Mood) {
        self.mood.withLock { $0 = mood }
    }

    /// The forms that were posted to a path.
    func forms(_ path: String) -> [[String: String]] {
        server.requests.filter { $0.method == "POST" && $0.target == path }.map { Self.form($0.text) }
    }

    /// How the parts ask for its keys.
    var keys: Federation.KeyLookup {
        let jwk = signer.jwk
        return { keyID, _ in keyID == Self.keyID ? .key(jwk) : .unknownKey }
    }

    /// A notice, signed.
    func sign(_ claims: JSONValue) throws -> String {
        try signer.sign(claims.serialized)
    }

    private static func tokens(_ subject: String, _ audience: String, _ signer: JWSSigner) -> String {
        let claims: JSONValue = [
            "iss": "https://appleid.apple.com", "aud": .string(audience), "sub": .string(subject),
            "iat": .integer(Sample.now.seconds), "exp": .integer(Sample.now.seconds + 600),
        ]
        let answer: JSONValue = [
            "access_token": "apple-access", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "apple-refresh",
            "id_token": .string((try? signer.sign(claims.serialized)) ?? ""),
        ]
        return String(decoding: answer.serialized, as: UTF8.self)
    }

    private static func form(_ text: String) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            fields[parts[0]] = parts.count > 1 ? unescaped(parts[1]) : ""
        }
        return fields
    }

    private static func unescaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let escaped = Hex.decode(String(decoding: rest.prefix(2), as: UTF8.self)) {
                bytes += escaped
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
