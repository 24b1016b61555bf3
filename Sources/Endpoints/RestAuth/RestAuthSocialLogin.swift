import HTTP
import Identity
import Text

/// `POST google/`, `apple/`: signs a user in with a provider's id token (contract §4). It may come under `id_token` or, as apps of dj-rest-auth
/// send it, under `access_token`. Whatever is wrong with it is `Incorrect value`; the audit log says what.
struct RestAuthSocialLogin: RestAuthEndpoint {
    let services: Services
    let signIn: RestAuthSignIn
    let provider: ProviderID

    var path: String { "/\(provider.text)/" }

    func answer(_ request: Request, _ words: RestAuthWords) async throws(RestAuthError) -> Response {
        try RestAuthOrigin.check(request.head, words.options)
        let caller = Caller(request)
        let (proof, code) = try await RestAuthProof.read(request, of: provider, services)
        let (user, tokens, _) = try await restAuth { () throws(IdentityError) in
            try await signedIn(proof, words, caller)
        }
        if let code { await services.codes.take(code, of: proof, userID: user.id, caller: caller) }
        return try await signIn.answer(.ok, user, tokens, words, caller)
    }

    /// A proof that has not led to a session, because the user has to sign in as before first, is good once more.
    private func signedIn(
        _ proof: VerifiedIDToken, _ words: RestAuthWords, _ caller: Caller
    ) async throws(IdentityError) -> Accounts.ProviderSignIn {
        do throws(IdentityError) {
            return try await services.accounts.signIn(
                with: proof, displayName: nil, client: services.restAuth.client, kind: words.options.sessionKind, caller: caller)
        } catch {
            if error == .emailNeedsLinking { try? await services.federation.giveBack(proof) }
            throw error
        }
    }
}

/// `POST google/connect/`, `apple/connect/`: makes a provider's account one more way into the signed-in user's.
struct RestAuthSocialConnect: RestAuthEndpoint {
    let services: Services
    let caller: RestAuthCaller
    let provider: ProviderID

    var path: String { "/\(provider.text)/connect/" }

    func answer(_ request: Request, _ words: RestAuthWords) async throws(RestAuthError) -> Response {
        let known = try await caller.authenticate(request)
        let device = Caller(request)
        try await restAuth { () throws(IdentityError) in
            try await services.accounts.requireRecentSignIn(of: known.user.id, session: known.sessionID, caller: device)
        }
        let (proof, _) = try await RestAuthProof.read(request, of: provider, services)
        try await restAuth { () throws(IdentityError) in
            try await services.accounts.link(proof, to: known.user.id, session: known.sessionID, caller: device)
        }
        return words.response(.ok, detail: .ok)
    }
}

/// A provider's proof in a request: `id_token`, `access_token`, `code`.
enum RestAuthProof {
    /// The id token, and the authorization code that came with it.
    /// - Throws: what the original says when nothing was sent, and `Incorrect value` for all that proves nothing.
    static func read(
        _ request: Request, of provider: ProviderID, _ services: Services
    ) async throws(RestAuthError) -> (proof: VerifiedIDToken, code: SecretString?) {
        var fields = try RestAuthFields(request)
        let idToken = fields.secret("id_token", isRequired: false)
        let accessToken = fields.secret("access_token", isRequired: false)
        let code = fields.secret("code", isRequired: false)
        let nonce = fields.secret("nonce", isRequired: false)
        try fields.check()
        guard let token = idToken ?? accessToken else {
            throw .nonField(code == nil ? .missingSocialToken : .incorrectValue)
        }
        let caller = Caller(request)
        return try await restAuth { () throws(IdentityError) in
            let proof = try await services.federation.verify(token, from: provider, nonce: nonce, caller: caller)
            if let code { try await services.codes.check(code, of: proof, caller: caller) }
            return (proof, code)
        }
    }

    static let members: [HTTP.Schema.Member] = [
        .optional("id_token", .string), .optional("access_token", .string), .optional("code", .string),
        .optional("nonce", .string),
    ]
}

extension RestAuthSocialLogin {
    var documentation: RouteDocumentation {
        RouteDocumentation(
            "Sign a user in with an id token of \(provider.text)", body: .required(.object(RestAuthProof.members)),
            responses: [
                .json(.ok, "The user is signed in.", RestAuthSignIn.schema), RestAuthError.fieldsDocumented(),
                RestAuthError.crossSiteDocumented,
            ])
    }
}

extension RestAuthSocialConnect {
    var documentation: RouteDocumentation {
        RouteDocumentation(
            "Connect an account of \(provider.text)", security: RestAuthCaller.schemes,
            body: .required(.object(RestAuthProof.members)),
            responses: [RestAuthError.done("ok"), RestAuthError.fieldsDocumented()] + RestAuthCaller.refusals)
    }
}
