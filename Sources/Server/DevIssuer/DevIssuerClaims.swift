import Crypto
import Text

/// What the issuer for development puts into a token: the claims that tokens of a kind have, changed as the caller wants.
enum DevIssuerClaims: String, CaseIterable, Sendable {
    /// What every id token has, and no more.
    case plain
    case apple
    case google

    /// What `make run` configures as the audience.
    var clientID: String {
        switch self {
        case .plain: "kidoban-demo"
        case .apple: "com.example.kidoban"
        case .google: "kidoban-demo.apps.googleusercontent.com"
        }
    }

    /// The issuer below the address of the server, so that no kind passes for another.
    func issuer(below url: String) -> String { url + base }

    /// What the paths of its authorization and token endpoints begin with.
    var base: String { self == .plain ? "" : "/\(rawValue)" }

    /// The same for the same address, in the form that subjects of the kind have.
    func subject(of email: String) -> String {
        let digest = SHA256.hash("\(rawValue):\(email)")
        let text = String(digest.hex.prefix(32))
        return switch self {
        case .plain: text
        case .apple: "001234.\(text).0456"
        case .google: "1" + digest.bytes.prefix(20).map { String($0 % 10) }.joined()
        }
    }

    /// `typ` of the header. Apple's tokens have none.
    var type: String? {
        switch self {
        case .apple: nil
        case .plain, .google: "JWT"
        }
    }

    /// - Parameters:
    ///   - given: claims that replace or add to the usual ones; `null` leaves one out.
    ///   - random: 16 bytes.
    func claims(changedBy given: JSONObject, issuer url: String, now: Timestamp, random: [UInt8]) -> JSONObject {
        var claims = usual(issuer: issuer(below: url), now: now.seconds, random: random)
        for member in given.members { claims[member.key] = member.value.orNone }
        return claims
    }

    private func usual(issuer: String, now: Int64, random: [UInt8]) -> JSONObject {
        var claims = JSONObject()
        claims["iss"] = .string(issuer)
        if self == .google { claims["azp"] = .string(clientID) }
        claims["aud"] = .string(clientID)
        switch self {
        case .plain:
            claims["sub"] = "demo-user"
            claims["email"] = "mei@example.com"
            claims["email_verified"] = true
        case .apple:
            claims["sub"] = "001234.0123456789abcdef0123456789abcdef.0456"
            claims["email"] = "mei@icloud.example.com"
            claims["email_verified"] = true
            claims["auth_time"] = .integer(now)
            claims["nonce_supported"] = true
            claims["real_user_status"] = 2
        case .google:
            claims["sub"] = "109876543210987654321"
            claims["email"] = "mei.demo@gmail.com"
            claims["email_verified"] = true
            claims["name"] = "Mei Tanaka"
            claims["given_name"] = "Mei"
            claims["family_name"] = "Tanaka"
            claims["picture"] = "https://lh3.googleusercontent.com/a/demo=s96-c"
            claims["jti"] = .string(Hex.encode(random))
        }
        claims["iat"] = .integer(now)
        claims["exp"] = .integer(now + 3600)
        return claims
    }
}

extension JSONValue {
    /// Nothing in place of `null`.
    fileprivate var orNone: JSONValue? {
        switch self {
        case .null: Optional.none
        case .bool, .integer, .double, .string, .array, .object: self
        }
    }
}
