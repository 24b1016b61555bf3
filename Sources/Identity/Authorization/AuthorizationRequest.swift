import Text

/// An authorization request that has been checked (RFC 6749 §4.1.1, OpenID Connect Core 1.0 §3.1.2.1): nothing in it is text that nobody has looked at.
package struct AuthorizationRequest: Sendable {
    /// How the answer reaches the client (OAuth 2.0 Multiple Response Type Encoding Practices §2.1, Form Post Response Mode).
    package enum ResponseMode: String, Sendable, CaseIterable {
        case query
        case formPost = "form_post"
    }

    /// What the client wants of the user's presence (OpenID Connect Core 1.0 §3.1.2.1, Initiating User Registration 1.0).
    package enum Prompt: String, Sendable, CaseIterable {
        case none, login, consent
        case selectAccount = "select_account"
        case create
    }

    package let client: Client
    /// One of the client's, as it was sent; where the answer goes. Empty where nobody is redirected.
    package let redirectURI: String
    package let responseMode: ResponseMode
    package let state: String?
    /// In the order of the request, each once.
    package let scopes: [String]
    package let nonce: String?
    package let prompts: Set<Prompt>
    package let maximumAge: Duration?
    package let challenge: PKCEChallenge?
    /// Whom the access token is to be for (RFC 8707); empty for the client's audiences.
    package let resources: [String]
    package let loginHint: String?
    /// A token, not checked yet: only whoever has the keys can.
    package let idTokenHint: String?
    package let uiLocales: [String]
    package let claims: RequestedClaims
    /// The thumbprint of the key that the code is bound to (RFC 9449 §10).
    package let dpopThumbprint: String?

    /// What the user is asked to agree to: the scopes, and those that individual claims belong to.
    package var scopesForConsent: [String] {
        let further = claims.all.compactMap { StandardClaims.scope(of: $0) }.filter { !scopes.contains($0) }
        return scopes + Set(further).sorted()
    }
}

/// The `claims` parameter (OpenID Connect Core 1.0 §5.5): which claims the client asks for besides those of its scopes.
package struct RequestedClaims: Equatable, Sendable {
    package var ofIDToken: Set<String> = []
    package var ofUserInfo: Set<String> = []
    /// The users, one of whom it has to be; nil for anybody. What is no text is nobody.
    package var subjects: Set<String>?
    /// Of the values of `acr` one has to be reached (OpenID Connect Core 1.0 §5.5.1.1); nil if none is essential.
    package var essentialContexts: Set<String>?

    package init() {}

    package var all: Set<String> { ofIDToken.union(ofUserInfo) }

    /// In bytes.
    static let maximumLength = 4096

    /// - Returns: nil if the text is not of the form that the parameter must have.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength, let value = try? JSON.parse(Array(text.utf8), maximumDepth: 8),
            let object = value.objectValue
        else { return nil }
        guard let idToken = Self.names(object["id_token"]), let userInfo = Self.names(object["userinfo"]) else { return nil }
        ofIDToken = idToken
        ofUserInfo = userInfo
        subjects = Self.wanted(object["id_token"]?["sub"])
        if object["id_token"]?["acr"]?["essential"] == true { essentialContexts = Self.wanted(object["id_token"]?["acr"]) }
    }

    /// What `value` or `values` demand of a claim.
    private static func wanted(_ claim: JSONValue?) -> Set<String>? {
        if let value = claim?["value"] { return [value.stringValue ?? ""] }
        guard let values = claim?["values"] else { return nil }
        return Set((values.arrayValue ?? []).map { $0.stringValue ?? "" })
    }

    private static func names(_ value: JSONValue?) -> Set<String>? {
        guard let value, value != .null else { return [] }
        guard let object = value.objectValue, object.count <= 64 else { return nil }
        return Set(object.members.map(\.key))
    }
}
