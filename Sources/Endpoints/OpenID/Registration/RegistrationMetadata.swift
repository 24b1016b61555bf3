import Crypto
import HTTP
import Identity
import JOSE
import Routing
import Text

/// The client metadata of RFC 7591 §2 and OpenID Connect Dynamic Client Registration 1.0 §2, as software sends them. What is not known is ignored.
struct RegistrationMetadata {
    /// What a stranger may ask for: nothing of the team's own.
    private static let scopes = AuthorizationCheck.openIDScopes
    static let standardGrants = [GrantType.authorizationCode.rawValue]

    let object: JSONObject

    /// - Throws: `invalid_client_metadata` for what is no JSON object.
    init(_ body: [UInt8]) throws(OpenID.Failure) {
        guard let object = (try? JSON.parse(body))?.objectValue else { throw Self.invalid("the body is no JSON object") }
        self.object = object
    }

    var authenticationMethod: ClientAuthenticationMethod? {
        get throws(OpenID.Failure) {
            guard let text = try text("token_endpoint_auth_method") else { return nil }
            guard let method = ClientAuthenticationMethod(rawValue: text) else {
                throw Self.invalid("token_endpoint_auth_method is none that is supported")
            }
            return method
        }
    }

    /// A client of these; everything that is not said is as it is for its kind.
    /// - Parameters:
    ///   - audience: whom its tokens are for.
    ///   - allowsOmittingPKCE: whether a web application that proves who it is may go without, unless it wants PKCE itself.
    func client(
        _ id: ClientID, audience: String, before: Client?, allowsOmittingPKCE: Bool = false
    ) throws(OpenID.Failure) -> (Client, needsSecret: Bool) {
        let uris = try texts("redirect_uris") ?? []
        let grants = try grantTypes(before)
        let kind = try kind(uris, grants.subtracting(Client.operatorGrants))
        let method = try authenticationMethod ?? before?.authenticationMethod ?? kind.authenticationMethod
        var client = Client(
            id: id, name: try text("client_name") ?? id.text, kind: kind, authentication: .publicClient,
            permissions: kind.permissions, grantTypes: grants, audiences: [audience],
            scopes: try wantedScopes(before) ?? (kind.scopes.isEmpty ? [] : kind.scopes),
            rotatesRefreshTokens: kind.rotatesRefreshTokens || method == .nothing)
        client.redirectURIs = uris.map { RedirectURI(stored: $0) }
        client.postLogoutRedirectURIs = (try texts("post_logout_redirect_uris") ?? []).map { RedirectURI(stored: $0) }
        client.frontChannelLogout = try logout("frontchannel_logout_uri", flag("frontchannel_logout_session_required"))
        client.backChannelLogout = try logout("backchannel_logout_uri", flag("backchannel_logout_session_required"))
        client.requiresDPoP = flag("dpop_bound_access_tokens")
        if allowsOmittingPKCE, kind == .web, method != .nothing { client.requiresPKCE = flag("require_pkce") }
        client.sendsSecretInForm = method == .clientSecretPost
        client.registration = before?.registration ?? client.registration
        client.idTokenAlgorithm = try algorithm("id_token_signed_response_alg") ?? client.idTokenAlgorithm
        client.userInfoAlgorithm = try algorithm("userinfo_signed_response_alg")
        if let type = try text("subject_type"), type != "public" { throw Self.invalid("subject_type has to be public") }
        client.presentation.homePage = try text("client_uri")
        client.presentation.logo = try text("logo_uri")
        client.presentation.policy = try text("policy_uri")
        client.presentation.terms = try text("tos_uri")
        client.presentation.contacts = try texts("contacts") ?? []
        switch method {
        case .nothing: client.authentication = .publicClient
        case .privateKeyJWT: client.authentication = .privateKeyJWT
        case .clientSecretBasic, .clientSecretPost:
            if case .secret? = before?.authentication, let before { client.authentication = before.authentication }
        }
        try readKeys(to: &client)
        if let before { client.keepOperatorSettings(of: before) }
        try check(client, method)
        return (client, method.usesSecret)
    }

    /// The rules of `kidoban client add`.
    private func check(_ client: Client, _ method: ClientAuthenticationMethod) throws(OpenID.Failure) {
        var checked = client
        // It gets its secret when it is stored.
        if method.usesSecret, client.isPublic { checked.authentication = .privateKeyJWT }
        let problems = checked.problems().filter { !(method.usesSecret && $0.field == .keys) }
        guard let first = problems.first else { return }
        let text = "\(first.field.rawValue) \(first.sentence)"
        throw first.field == .redirectURIs
            ? OpenID.Failure(.badRequest, "invalid_redirect_uri", text.inErrors) : Self.invalid(text)
    }

    private func kind(_ uris: [String], _ grants: Set<GrantType>) throws(OpenID.Failure) -> Client.Kind {
        if grants == [.clientCredentials] { return .service }
        if grants.contains(.deviceCode), !grants.contains(.authorizationCode) { return .device }
        switch try text("application_type") {
        case "native": return .native
        case nil, "web": return try authenticationMethod == .nothing ? .spa : .web
        default: throw Self.invalid("application_type is neither web nor native")
        }
    }

    private func grantTypes(_ before: Client?) throws(OpenID.Failure) -> Set<GrantType> {
        var types: Set<GrantType> = []
        for name in try texts("grant_types") ?? Self.standardGrants {
            // To speak for users by other clients' tokens, or by its own word, is for an operator to allow, who may have done so.
            guard let type = GrantType(rawValue: name),
                !Client.operatorGrants.contains(type) || before?.grantTypes.contains(type) == true
            else {
                throw Self.invalid("grant_types has one that is not supported")
            }
            types.insert(type)
        }
        let responses = try texts("response_types") ?? (types.contains(.authorizationCode) ? ["code"] : [])
        guard responses == (types.contains(.authorizationCode) ? ["code"] : []) else {
            throw Self.invalid("response_types has to be code with the grant authorization_code, and nothing without it")
        }
        return types
    }

    private func wantedScopes(_ before: Client?) throws(OpenID.Failure) -> [String]? {
        guard let text = try text("scope") else { return nil }
        let wanted = text.split(separator: " ").map { String($0) }
        guard wanted.allSatisfy({ Self.scopes.contains($0) || before?.scopes.contains($0) == true }) else {
            throw Self.invalid("scope may have \(Self.scopes.joined(separator: " ")) only")
        }
        return wanted
    }

    private func readKeys(to client: inout Client) throws(OpenID.Failure) {
        if let url = try text("jwks_uri") { client.keys = .url(url) }
        guard let set = object["jwks"], set != .null else { return }
        guard client.keys == nil else { throw Self.invalid("jwks and jwks_uri exclude each other") }
        guard let keys = try? JWKSet.parse(set.serialized) else { throw Self.invalid("jwks is no JSON Web Key Set") }
        guard !keys.skipped.contains(where: { $0.defect == .privateKeyExposed }) else {
            throw Self.invalid("jwks has a private or symmetric key: make another one, since this one is known now")
        }
        // Keys for other purposes may stand beside those that prove the client.
        if !keys.keys.isEmpty || client.authentication == .privateKeyJWT { client.keys = .set(JWKSet(keys.keys)) }
    }

    private func logout(_ name: String, _ requiresSession: Bool) throws(OpenID.Failure) -> ClientLogout? {
        try text(name).map { ClientLogout(uri: $0, requiresSession: requiresSession) }
    }

    private func algorithm(_ name: String) throws(OpenID.Failure) -> SignatureAlgorithm? {
        guard let text = try text(name) else { return nil }
        guard let algorithm = SignatureAlgorithm(rawValue: text), KeyRing.algorithms.contains(algorithm) else {
            throw Self.invalid("\(name) is none that is supported")
        }
        return algorithm
    }

    private func flag(_ name: String) -> Bool { object[name]?.boolValue ?? false }

    /// Nil for one that is missing, null or empty.
    private func text(_ name: String) throws(OpenID.Failure) -> String? {
        switch object[name] {
        case nil, .null?: return nil
        case .string(let text)?: return text.isEmpty ? nil : text
        default: throw Self.invalid("\(name) is no text")
        }
    }

    private func texts(_ name: String) throws(OpenID.Failure) -> [String]? {
        guard let value = object[name], value != .null else { return nil }
        guard let array = value.arrayValue, array.count <= 64, array.allSatisfy({ $0.stringValue != nil }) else {
            throw Self.invalid("\(name) is no list of texts")
        }
        return array.compactMap(\.stringValue)
    }

    static func invalid(_ text: String) -> OpenID.Failure {
        OpenID.Failure(.badRequest, "invalid_client_metadata", text.inErrors)
    }
}

extension String {
    /// Without what an error description may not have (RFC 6749 §5.2).
    fileprivate var inErrors: String {
        String(decoding: utf8.map { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C ? $0 : 0x3F }, as: UTF8.self)
    }
}
