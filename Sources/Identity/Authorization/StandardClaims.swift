package import Text

/// The claims of OpenID Connect Core 1.0 §5.1, and the scopes that ask for them (§5.4).
package enum StandardClaims {
    /// In the order of the specification.
    package static let byScope: [(scope: String, claims: [String])] = [
        (
            "profile",
            [
                "name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture",
                "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at",
            ]
        ),
        ("email", ["email", "email_verified"]), ("address", ["address"]), ("phone", ["phone_number", "phone_number_verified"]),
    ]

    /// The scope that a claim belongs to; nil for one that is not standard.
    package static func scope(of claim: String) -> String? {
        byScope.first { $0.claims.contains(claim) }?.scope
    }

    /// Those of the names that are standard, each once.
    static func known(_ names: [String]) -> [String] {
        Set(names.filter { scope(of: $0) != nil }).sorted()
    }

    /// Whether a value is of the type that the specification says.
    static func isWellFormed(_ value: JSONValue, for claim: String) -> Bool {
        switch claim {
        case "updated_at": value.integerValue != nil
        case "email_verified", "phone_number_verified": value.boolValue != nil
        case "address": value.objectValue.map { !$0.isEmpty } ?? false
        default: value.stringValue.map { !$0.isEmpty } ?? false
        }
    }
}

/// Which claims of a user are told to clients: those of the standard scopes, and what an operator has put under scopes of the installation.
package struct ClaimRelease: Equatable, Sendable {
    /// By scope: claims of the user that it opens, beside the standard ones.
    package var custom: [String: [String]]

    package init(custom: [String: [String]] = [:]) {
        self.custom = custom
    }

    /// Every claim that can be told.
    package var names: [String] {
        StandardClaims.byScope.flatMap(\.claims) + Set(custom.values.flatMap { $0 }).sorted()
    }

    /// What is told of a user.
    /// - Parameters:
    ///   - scopes: those of the grant.
    ///   - further: claims that the client has asked for by name, and the user has agreed to.
    package func claims(of user: User, scopes: some Collection<String>, further: Set<String> = []) -> JSONObject {
        var told = JSONObject()
        for (scope, names) in StandardClaims.byScope {
            for name in names where scopes.contains(scope) || further.contains(name) {
                if let value = Self.value(of: name, user), StandardClaims.isWellFormed(value, for: name) { told[name] = value }
            }
        }
        for (scope, names) in custom where scopes.contains(scope) {
            for name in names where told[name] == nil && !Self.reserved.contains(name) { told[name] = Self.custom(name, user) }
        }
        return told
    }

    /// Those of the protocol itself.
    private static let reserved = CustomClaims.tokenNames

    private static func custom(_ claim: String, _ user: User) -> JSONValue? {
        guard claim == "roles", !user.roles.isEmpty else { return user.claims[claim] }
        return .array(user.roles.map { .string($0) })
    }

    private static func value(of claim: String, _ user: User) -> JSONValue? {
        switch claim {
        case "name": user.displayName.map { .string($0.text) } ?? user.claims[claim]
        case "picture": user.photoURL.map { .string($0.text) } ?? user.claims[claim]
        case "updated_at": .integer(user.updatedAt.seconds)
        case "email": user.email.map { .string($0.typed) }
        case "email_verified": user.email.map { _ in .bool(user.emailVerified) }
        case "phone_number": user.phoneNumber.map { .string($0) } ?? user.claims[claim]
        // Nobody has to prove a number here.
        case "phone_number_verified": value(of: "phone_number", user).map { _ in .bool(false) }
        // What an operator knows of the user besides.
        default: user.claims[claim]
        }
    }
}
