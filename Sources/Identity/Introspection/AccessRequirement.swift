import Text

/// What a request must have besides a valid token.
package struct AccessRequirement: Equatable, Sendable {
    /// All of them.
    package var scopes: [String] = []
    /// All of them have to be among those of the token.
    package var audiences: [String] = []
    /// All of them.
    package var roles: [String] = []

    package init() {}

    /// What a token lacks.
    enum Lack: Equatable {
        /// It is not for a required audience.
        case audience
        case scope
        case role
    }

    func lack(of token: StoredAccessToken, in installation: Installation) -> Lack? {
        for audience in audiences where !token.isFor(audience, in: installation) { return .audience }
        for scope in scopes where !token.hasScope(scope) { return .scope }
        return roles.isEmpty || Set(token.roles).isSuperset(of: roles) ? nil : .role
    }

    /// A session that is held by a cookie is good here, and has no scopes.
    func lack(of session: Session, in installation: Installation) -> Lack? {
        for audience in audiences where !audience.hasSameBytes(as: installation.audience) { return .audience }
        guard scopes.isEmpty else { return .scope }
        let owned = session.owner.claims["roles"]?.arrayValue?.compactMap(\.stringValue) ?? []
        return roles.isEmpty || Set(owned).isSuperset(of: roles) ? nil : .role
    }
}

extension StoredAccessToken {
    fileprivate func isFor(_ audience: String, in installation: Installation) -> Bool {
        guard audienceCount > 0 else { return audience.hasSameBytes(as: installation.audience) }
        var isFor = false
        forEachAudience { if bytes[$0].elementsEqual(audience.utf8) { isFor = true } }
        return isFor
    }

    /// A scope has nothing in it that JSON escapes.
    func hasScope(_ scope: String) -> Bool {
        scopes.split(separator: UInt8(ascii: " ")).contains { $0.elementsEqual(scope.utf8) }
    }

    /// Read only for who asks: it is a claim among others.
    fileprivate var roles: [String] {
        guard !members.isEmpty else { return [] }
        let object = [UInt8(ascii: "{")] + bytes[members].dropFirst() + [UInt8(ascii: "}")]
        return (try? JSON.parse(object))?["roles"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
}
