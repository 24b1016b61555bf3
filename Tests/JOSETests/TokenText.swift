import Crypto
import JOSE
import Text

/// Puts a token together from its parts, as an attacker would.
enum TokenText {
    static func unsigned(header: String, payload: String = "{}") -> String {
        Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
    }

    /// Signs whatever header it is given.
    static func signed(header: String, payload: String = "{}", with key: SigningKey) throws -> String {
        let input = unsigned(header: header, payload: payload)
        return try input + "." + Base64URL.encode(key.sign(Array(input.utf8)))
    }
}

/// Keys that take time to make, made once.
enum TestKeys {
    static let elliptic = Result { try SigningKey.generate(.es256) }
    static let rsa = Result { try SigningKey.generate(.rs256()) }
}

extension JWK {
    /// Reads a key as it stands in a published document.
    init(text: String) throws {
        try self.init(parsing: JSON.parse(text))
    }
}

/// What parsing a token ends with; `nil` when it succeeds.
func parseError(_ text: String) -> JOSEError? {
    do throws(JOSEError) {
        _ = try UnverifiedJWS.parse(text)
        return nil
    } catch {
        return error
    }
}
