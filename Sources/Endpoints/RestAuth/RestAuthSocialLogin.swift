import HTTP
import Identity
import Text

/// `POST google/`, `apple/`: signs a user in with what a provider gave the app (contract §4): an id token, an access token of Google's, or an
/// authorization code. Whatever is wrong with it is `Incorrect value`; the audit log says what.
struct RestAuthSocialLogin: RestAuthEndpoint {
    let services: Services
    let signIn: RestAuthSignIn
    let provider: ProviderID

    var path: String { "/\(provider.text)/" }

    func answer(_ request: Request, _ words: RestAuthWords) async throws(RestAuthError) -> Response {
        try RestAuthOrigin(services).check(request.head)
        let caller = Caller(request, in: words.language)
        let read = try await RestAuthProof.read(request, of: provider, services)
        let begun = try await restAuth { () throws(IdentityError) in
            try await signedIn(read.proof, caller)
        }
        await read.keep(for: begun.user.id, services, caller)
        return try await signIn.answer(.ok, begun, to: request, words, caller)
    }

    /// A proof that has not led to a session, because the user has to sign in as before first, is good once more.
    private func signedIn(
        _ proof: VerifiedIDToken, _ caller: Caller
    ) async throws(IdentityError) -> RestAuthSignIn.Begun {
        do throws(IdentityError) {
            let authentication = try await services.accounts.authenticate(
                identity: proof, displayName: nil, client: services.restAuth.client, caller: caller
            ).completed()
            return try await signIn.begin(authentication, caller)
        } catch {
            if error.leavesProofUnused { try? await services.federation.giveBack(proof) }
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
        let known = try await caller.authenticate(request, for: .change)
        let device = Caller(request)
        try await restAuth { () throws(IdentityError) in
            try await services.accounts.requireRecentSignIn(of: known.user.id, session: known.sessionID, caller: device)
        }
        let read = try await RestAuthProof.read(request, of: provider, services)
        try await restAuth { () throws(IdentityError) in
            try await services.accounts.link(read.proof, to: known.user.id, session: known.sessionID, caller: device)
        }
        await read.keep(for: known.user.id, services, device)
        return words.response(.ok, detail: .ok)
    }
}

extension RestAuthSocialLogin {
    var documentation: RouteDocumentation {
        RouteDocumentation(
            "Sign a user in with what \(provider.text) gave the app", body: .required(.object(RestAuthProof.members)),
            responses: [
                .json(.ok, "The user is signed in.", RestAuthSignIn.schema), RestAuthError.fieldsDocumented(),
                RestAuthError.crossSiteDocumented, RestAuthError.limitedDocumented,
            ])
    }
}

extension RestAuthSocialConnect {
    var documentation: RouteDocumentation {
        RouteDocumentation(
            "Connect an account of \(provider.text)", security: RestAuthCaller.schemes(services.restAuth.options),
            body: .required(.object(RestAuthProof.members)),
            responses: [RestAuthError.done("ok"), RestAuthError.fieldsDocumented(), RestAuthError.limitedDocumented]
                + RestAuthCaller.refusals)
    }
}
