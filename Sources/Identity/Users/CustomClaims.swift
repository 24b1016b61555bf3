package import Text

/// Claims that an operator or an admin API gives to a user, for the user's tokens.
package struct CustomClaims: Equatable, Sendable {
    /// In bytes of the JSON text, unless configured otherwise.
    package static let standardLimit = 1000

    /// Why claims are none that a user can have.
    package enum Refusal: Error, Equatable, Sendable {
        case notAnObject
        case tooLarge(maximum: Int)
        /// The name says something that the server alone may say.
        case reserved(name: String)
    }

    /// The names that nobody's own claims can take, whether a token has them or not: those written here, and those by which
    /// resource servers decide who the caller is and what it may do.
    package static let tokenNames: Set<String> = [
        "iss", "aud", "sub", "client_id", "jti", "iat", "nbf", "exp", "auth_time", "sid", "scope", "acr", "amr", "azp", "cnf",
        "act", "may_act", "nonce", "active", "cache_until", "token_type", "username", "email", "email_verified",
    ]

    /// Names of RFC 7519, RFC 8693, RFC 9068 and OpenID Connect, of introspection (RFC 7662), and what Firebase reserves.
    package static let reservedNames: Set<String> = tokenNames.union([
        "at_hash", "c_hash", "firebase", "phone_number_verified",
    ])

    package let object: JSONObject

    /// - Parameter limit: of the JSON text, in bytes.
    package init(_ object: JSONObject, limit: Int = standardLimit) throws(Refusal) {
        if let member = object.members.first(where: { Self.reservedNames.contains($0.key) }) {
            throw .reserved(name: member.key)
        }
        // PostgreSQL cannot store it.
        guard !JSONValue.object(object).hasNUL else { throw .notAnObject }
        guard JSONValue.object(object).serialized.count <= limit else { throw .tooLarge(maximum: limit) }
        self.object = object
    }

    /// From JSON text.
    package init(json text: String, limit: Int = standardLimit) throws(Refusal) {
        // White space does not count, but is not read without end either.
        guard text.utf8.count <= 4 * limit + 64 else { throw .tooLarge(maximum: limit) }
        guard let object = try? JSON.parse(text).objectValue else { throw .notAnObject }
        try self.init(object, limit: limit)
    }
}

/// The roles of a user, for the user's tokens. What a role permits is for the applications to say.
package struct Roles: Equatable, Sendable {
    /// How many a user may have, unless configured otherwise.
    package static let standardLimit = 32
    /// Of one, in characters.
    package static let maximumLength = 64

    /// Why roles are none that a user can have.
    package enum Refusal: Error, Equatable, Sendable {
        case malformed(String)
        case tooMany(maximum: Int)
    }

    /// Each once, in the order in which they were given.
    package let names: [String]

    /// Each is 1 to 64 letters, digits and `._:/-` in ASCII.
    package init(_ names: [String], limit: Int = standardLimit) throws(Refusal) {
        var unique: [String] = []
        for name in names where !unique.contains(name) {
            guard Self.isName(name) else { throw .malformed(name) }
            unique.append(name)
            guard unique.count <= limit else { throw .tooMany(maximum: limit) }
        }
        self.names = unique
    }

    private static func isName(_ text: String) -> Bool {
        (1...maximumLength).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.isASCIILetterOrDigit || "._:/-".unicodeScalars.contains($0) }
    }
}

extension JSONValue {
    /// Whether a text or a name in it has a NUL.
    var hasNUL: Bool {
        switch self {
        case .null, .bool, .integer, .double: false
        case .string(let text): text.utf8.contains(0)
        case .array(let values): values.contains { $0.hasNUL }
        case .object(let object): object.members.contains { $0.key.utf8.contains(0) || $0.value.hasNUL }
        }
    }
}
