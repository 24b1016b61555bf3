import HTTP
import Identity
import Routing

extension RestAuth {
    /// `POST google/`, `apple/`: signs a user in with what a provider gave the app: an id token, an access token of Google's, or an
    /// authorization code. Whatever is wrong with it is `Incorrect value`; the audit log says what.
    struct SocialLogin: Endpoint {
        let services: Services
        let api: Parts
        let signIn: SignInAnswer
        let provider: ProviderID

        var path: String { "/\(provider.text)/" }

        func answer(_ request: Request, _ words: Words) async throws(Failure) -> Response {
            try OriginCheck(services).check(request.head)
            let caller = Caller(request, in: words.language)
            let read = try await ProviderTokens.read(request, of: provider, services)
            let begun = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await signedIn(read.verifiedToken, caller)
            }
            await read.keep(for: begun.user.id, services, caller)
            return try await signIn.answer(.ok, begun, to: request, words, caller)
        }

        /// A proof that has not led to a session, because the user has to sign in as before first, is good once more.
        private func signedIn(
            _ verifiedToken: VerifiedIDToken, _ caller: Caller
        ) async throws(IdentityError) -> SignInAnswer.Begun {
            do throws(IdentityError) {
                let authentication = try await services.accounts.authenticate(
                    identity: verifiedToken, displayName: nil, client: api.client, caller: caller
                ).completed()
                return try await signIn.begin(authentication, caller)
            } catch {
                if error.leavesProviderTokenUnused { try? await services.federation.giveBack(verifiedToken) }
                throw error
            }
        }

        var documentation: RouteDocumentation {
            RouteDocumentation(
                "Sign a user in with what \(provider.text) gave the app", body: .required(.object(ProviderTokens.members)),
                responses: [
                    .json(.ok, "The user is signed in.", SignInAnswer.schema), Failure.fieldsDocumented(),
                    Failure.crossSiteDocumented, Failure.limitedDocumented,
                ])
        }
    }

    /// `POST google/connect/`, `apple/connect/`: makes a provider's account one more way into the signed-in user's.
    struct SocialConnect: Endpoint {
        let services: Services
        let api: Parts
        let caller: Authenticator
        let provider: ProviderID

        var path: String { "/\(provider.text)/connect/" }

        func answer(_ request: Request, _ words: Words) async throws(Failure) -> Response {
            let known = try await caller.authenticate(request, for: .change)
            let device = Caller(request)
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.accounts.requireRecentSignIn(of: known.user.id, session: known.sessionID, caller: device)
            }
            let read = try await ProviderTokens.read(request, of: provider, services)
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.accounts.link(read.verifiedToken, to: known.user.id, session: known.sessionID, caller: device)
            }
            await read.keep(for: known.user.id, services, device)
            return words.response(.ok, detail: .ok)
        }

        var documentation: RouteDocumentation {
            RouteDocumentation(
                "Connect an account of \(provider.text)", security: Authenticator.schemes(api.options),
                body: .required(.object(ProviderTokens.members)),
                responses: [Failure.done("ok"), Failure.fieldsDocumented(), Failure.limitedDocumented]
                    + Authenticator.refusals)
        }
    }
}
