public import Foundation

/// Whom a good access token speaks for.
public struct VerifiedToken: Sendable, Equatable {
    /// The user; where there is no `session`, the client itself. Store this and never the address: it does not change and is not used again.
    public let subject: String
    /// The user's sign-in; nil for a token that a client got in its own name.
    public let session: String?
    public let clientID: String
    public let audiences: [String]
    public let issuer: String
    public let scopes: Set<String>
    public let roles: [String]
    /// As it was when the session began. Anybody can sign up with an address: look at `isEmailVerified`.
    public let email: String?
    public let isEmailVerified: Bool
    /// How the user signed in (RFC 8176).
    public let methods: [String]
    public let authenticatedAt: Date?
    public let issuedAt: Date
    public let expiresAt: Date
    /// `jti`.
    public let id: String
    /// All claims, or the whole answer of introspection, as JSON.
    public let claims: Data

    /// A claim that has no property here; nil when it is absent or something else.
    public func claim<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) -> Value? {
        guard let key = claimName else { return nil }
        let decoder = JSONDecoder()
        decoder.userInfo[key] = name
        return try? decoder.decode(OneClaim<Value>.self, from: claims).value
    }
}

private let claimName = CodingUserInfoKey(rawValue: "kidoban.claim")

private struct OneClaim<Value: Decodable>: Decodable {
    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let value: Value?

    init(from decoder: any Decoder) throws {
        let name = claimName.flatMap { decoder.userInfo[$0] as? String } ?? ""
        value = try decoder.container(keyedBy: Key.self).decodeIfPresent(Value.self, forKey: Key(stringValue: name))
    }
}

/// The members that access tokens (RFC 9068 §2.2) and answers of introspection (RFC 7662 §2.2) share.
struct TokenClaims: Decodable {
    struct OneOrMore: Decodable {
        let texts: [String]

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            texts = try (try? value.decode(String.self)).map { [$0] } ?? value.decode([String].self)
        }
    }

    /// Whatever it is: that it is there counts.
    struct Anything: Decodable {
        init(from decoder: any Decoder) throws {}
    }

    let active: Bool?
    let token_type: String?
    let iss: String?
    let aud: OneOrMore?
    let sub: String?
    let client_id: String?
    let jti: String?
    let sid: String?
    let scope: String?
    let roles: [String]?
    let username: String?
    let email: String?
    let email_verified: Bool?
    let amr: [String]?
    let auth_time: Double?
    let iat: Double?
    let nbf: Double?
    let exp: Double?
    let cnf: Anything?
    /// Introspection with `cache=1`: until when the answer may be remembered by who follows the revocation feed.
    let cache_until: Double?

    /// Nil when something is missing that every token of Kidoban has.
    func token(_ claims: Data) -> VerifiedToken? {
        guard let sub, let client_id, let iss, let iat, let exp else { return nil }
        return VerifiedToken(
            subject: sub, session: sid, clientID: client_id, audiences: aud?.texts ?? [], issuer: iss,
            scopes: Set((scope ?? "").split(separator: " ").map(String.init)), roles: roles ?? [], email: email ?? username,
            isEmailVerified: email_verified ?? false, methods: amr ?? [],
            authenticatedAt: auth_time.map { Date(timeIntervalSince1970: $0) }, issuedAt: Date(timeIntervalSince1970: iat),
            expiresAt: Date(timeIntervalSince1970: exp), id: jti ?? "", claims: claims)
    }
}
