import Crypto
import Identity
import JOSE
import Text

/// `kidoban client add` and `client update`.
extension ClientCommand {
    func add(_ new: NewClient) async throws(Complaint) -> Int32 {
        guard let id = new.id ?? ClientID(new.name) ?? ClientID("client-" + Hex.encode(SecureRandom.bytes(6))),
            !Self.builtInIDs.contains(id.text)
        else {
            throw Complaint("this id is taken by the app itself: choose another with --id")
        }
        var draft = Client(
            id: id, name: new.name, kind: new.kind, authentication: .publicClient, permissions: new.kind.permissions,
            audiences: [],
            accessTokenFormat: configuration.tokens.signingAlgorithm == .rs256 ? .jwtRS256 : .jwtES256,
            accessTokenLifetime: configuration.tokens.accessTokenLifetime, sessionLifetime: configuration.sessions.lifetime,
            scopes: new.kind.scopes, rotatesRefreshTokens: new.kind.rotatesRefreshTokens)
        draft.audiences = [configuration.audience]
        var change = new.change
        change.authenticationMethod = change.authenticationMethod ?? new.kind.authenticationMethod
        let (client, secret) = try checked(change, draft)
        await context.meetRedis()
        try await context.administer { admin throws(AdministrationError) in try await admin.addClient(client) }
        if client.mayIntrospect { try await tellWhatItSees(client) }
        return console.print(Self.credentials(id, secret))
    }

    func update(_ id: ClientID, _ change: ClientChange) async throws(Complaint) -> Int32 {
        await context.meetRedis()
        let (outcome, secret) = try await context.administer { admin throws(AdministrationError) in
            var secret: ClientSecret?
            let outcome = try await admin.updateClient(id) { client -> Result<Client, Complaint> in
                Result { () throws(Complaint) in
                    let (changed, new) = try checked(change, client)
                    secret = new
                    return changed
                }
            }
            return (outcome, secret)
        }
        switch outcome {
        case .unknown: throw unknown(id)
        case .refused(let complaint): throw complaint
        case .done(let before, let after):
            let changes = ClientReport.changes(from: before, to: after)
            guard !changes.isEmpty || secret != nil else { return console.print("Nothing of \(id) has changed\n") }
            if after.mayIntrospect, !before.mayIntrospect || before.audiences != after.audiences {
                try await tellWhatItSees(after)
            }
            let lines = changes.map { "\($0.field): \($0.before) -> \($0.after)\n" }.joined()
            return console.print(secret.map { Self.credentials(id, $0) } ?? "Changed \(id)\n\(lines)")
        }
    }

    /// The clients that are there without a record.
    static let builtInIDs = [SharedParts.appID, SharedParts.restAuthID, SharedParts.firebaseID]

    /// What becomes of a client by what is said on the command line; the secret, if it gets one by that.
    private func checked(_ change: ClientChange, _ client: Client) throws(Complaint) -> (Client, ClientSecret?) {
        var client = client
        change.apply(to: &client, signedWith: configuration.tokens.signingAlgorithm)
        switch change.keys {
        case .file(let path)?: client.keys = .set(try keySet(path))
        case .url(let url)?: client.keys = .url(url)
        case nil: break
        }
        var secret: ClientSecret?
        switch change.authenticationMethod {
        case nil: break
        case .nothing?: client.authentication = .publicClient
        case .privateKeyJWT?: client.authentication = .privateKeyJWT
        case .clientSecretBasic?, .clientSecretPost?:
            client.sendsSecretInForm = change.authenticationMethod == .clientSecretPost
            if case .secret = client.authentication { break }
            let new = ClientSecret(random: SecureRandom.bytes(ClientSecret.randomByteCount))
            client.authentication = .secret(new.digest)
            secret = new
        }
        let problems = client.problems()
        guard problems.isEmpty else {
            let lines = problems.map { problem in
                problem.field.option + (problem.value.map { " \($0.excerpt)" } ?? "") + " " + problem.sentence
            }
            throw Complaint(lines.joined(separator: "\nkidoban: "), status: ExitStatus.usage)
        }
        return (client, secret)
    }

    private func keySet(_ path: String) throws(Complaint) -> JWKSet {
        let bytes: [UInt8]
        do throws(FileFault) {
            bytes = try files.read(path).bytes
        } catch {
            throw Complaint("--jwks \(error.reason)", status: ExitStatus.usage)
        }
        do throws(JOSEError) {
            return try JWKSet.parse(bytes)
        } catch {
            throw Complaint("--jwks names a file that holds no JSON Web Key Set", status: ExitStatus.usage)
        }
    }

    /// Says whose tokens a client will see, so that nobody makes one that sees none without noticing.
    private func tellWhatItSees(_ client: Client) async throws(Complaint) {
        let records = try await context.administer { admin throws(AdministrationError) in try await admin.clients() }
        console.complain(report.sight(of: client, among: records.map(\.client)))
    }
}

extension ClientChange {
    /// All but the authentication and the keys.
    ///
    /// - Parameter algorithm: the configured one, for JWTs of which no other is named.
    fileprivate func apply(to client: inout Client, signedWith algorithm: SignatureAlgorithm) {
        client.name = name ?? client.name
        client.isFirstParty = isFirstParty ?? client.isFirstParty
        switch introspects {
        case true?: client.permissions.insert(.introspect)
        case false?: client.permissions.remove(.introspect)
        case nil: break
        }
        if let grantTypes {
            client.grantTypes = grantTypes
            client.responseTypes = grantTypes.contains(.authorizationCode) ? [.code] : []
            if !grantTypes.isDisjoint(with: [.authorizationCode, .deviceCode]) { client.permissions.insert(.signIn) }
        }
        client.scopes = scopes ?? client.scopes
        client.audiences = audiences ?? client.audiences
        client.requiresPKCE = requiresPKCE ?? client.requiresPKCE
        client.requiresDPoP = requiresDPoP ?? client.requiresDPoP
        client.rotatesRefreshTokens = rotatesRefreshTokens ?? client.rotatesRefreshTokens
        switch tokenFormat {
        case .opaque?: client.accessTokenFormat = .opaque
        case .jwt(let chosen)?: client.accessTokenFormat = chosen ?? algorithm == .rs256 ? .jwtRS256 : .jwtES256
        case nil: break
        }
        client.idTokenAlgorithm = idTokenAlgorithm ?? client.idTokenAlgorithm
        if cleared.contains(.userInfoAlgorithm) { client.userInfoAlgorithm = nil }
        client.userInfoAlgorithm = userInfoAlgorithm ?? client.userInfoAlgorithm
        client.accessTokenLifetime = accessTokenLifetime ?? client.accessTokenLifetime
        client.sessionLifetime = SessionLifetime(
            idle: sessionIdleLifetime ?? client.sessionLifetime.idle, absolute: sessionLifetime ?? client.sessionLifetime.absolute
        )
        applyAddresses(to: &client)
        applyPresentation(to: &client)
    }

    private func applyAddresses(to client: inout Client) {
        if cleared.contains(.redirectURI) { client.redirectURIs = [] }
        if cleared.contains(.postLogoutRedirectURI) { client.postLogoutRedirectURIs = [] }
        if cleared.contains(.frontChannelLogoutURI) { client.frontChannelLogout = nil }
        if cleared.contains(.backChannelLogoutURI) { client.backChannelLogout = nil }
        if cleared.contains(.keys) { client.keys = nil }
        if cleared.contains(.scope) { client.scopes = [] }
        if let redirectURIs { client.redirectURIs = redirectURIs.map { RedirectURI(stored: $0) } }
        if let postLogoutRedirectURIs { client.postLogoutRedirectURIs = postLogoutRedirectURIs.map { RedirectURI(stored: $0) } }
        client.frontChannelLogout = Self.logout(
            client.frontChannelLogout, uri: frontChannelLogout, requiresSession: frontChannelLogoutRequiresSession)
        client.backChannelLogout = Self.logout(
            client.backChannelLogout, uri: backChannelLogout, requiresSession: backChannelLogoutRequiresSession)
    }

    private static func logout(_ before: ClientLogout?, uri: String?, requiresSession: Bool?) -> ClientLogout? {
        (uri ?? before?.uri).map { ClientLogout(uri: $0, requiresSession: requiresSession ?? before?.requiresSession ?? false) }
    }

    private func applyPresentation(to client: inout Client) {
        if cleared.contains(.homePage) { client.presentation.homePage = nil }
        if cleared.contains(.logo) { client.presentation.logo = nil }
        if cleared.contains(.policy) { client.presentation.policy = nil }
        if cleared.contains(.terms) { client.presentation.terms = nil }
        if cleared.contains(.contact) { client.presentation.contacts = [] }
        client.presentation.homePage = homePage ?? client.presentation.homePage
        client.presentation.logo = logo ?? client.presentation.logo
        client.presentation.policy = policy ?? client.presentation.policy
        client.presentation.terms = terms ?? client.presentation.terms
        client.presentation.contacts = contacts ?? client.presentation.contacts
    }
}

extension ClientProblem.Field {
    /// The option that says it.
    fileprivate var option: String {
        switch self {
        case .name: "NAME"
        case .redirectURIs: "--redirect-uri"
        case .postLogoutRedirectURIs: "--post-logout-redirect-uri"
        case .frontChannelLogout: "--front-channel-logout-uri"
        case .backChannelLogout: "--back-channel-logout-uri"
        case .grantTypes, .responseTypes: "--grant"
        case .authenticationMethod: "--auth-method"
        case .keys: "--jwks"
        case .keysURL: "--jwks-uri"
        case .scopes: "--scope"
        case .audiences: "--audience"
        case .requiresPKCE: "--pkce"
        case .rotatesRefreshTokens: "--rotate"
        case .accessTokenLifetime: "--access-token-lifetime"
        case .sessionLifetime: "--session-lifetime"
        case .homePage: "--client-uri"
        case .logo: "--logo-uri"
        case .policy: "--policy-uri"
        case .terms: "--tos-uri"
        case .contacts: "--contact"
        }
    }
}
