import HTTP
import Identity
import Text

extension OpenID {
    /// `grant_type=urn:ietf:params:oauth:grant-type:token-exchange` (RFC 8693): a backend that was called with a user's access token gets one with which
    /// it calls the next. It says who acts (`act`): nobody gets a token that looks like the user's own.
    ///
    /// No client has the grant type unless somebody says so. It may exchange tokens that are for one of its audiences, for such that are good for
    /// no more, for another of its audiences, and for no longer.
    struct ExchangeGrant: Sendable {
        private static let accessToken = "urn:ietf:params:oauth:token-type:access_token"
        /// How many may act one after the other.
        private static let longestChain = 8
        private static let jwt = "urn:ietf:params:oauth:token-type:jwt"

        let services: Services

        func tokens(_ token: TokenRequest) async throws(Failure) -> TokenAnswer {
            guard !token.client.isPublic else { throw .unauthorizedClient }
            let (source, principal, user) = try await subject(token)
            try await checkActor(token)
            guard [nil, Self.accessToken, Self.jwt].contains(token.form["requested_token_type"]) else {
                throw .invalidRequest("only access tokens are issued")
            }
            let wanted = try token.form.scopes() ?? token.client.scopes.filter { $0 != "openid" && principal.scopes.contains($0) }
            guard wanted.allSatisfy({ principal.scopes.contains($0) && token.client.scopes.contains($0) }),
                !wanted.contains("openid")
            else { throw .invalidScope("the token or the client has no such scope") }
            let allowed = token.client.tokenAudiences
            let targets = token.form.resources + token.form.audiences
            for target in targets where !allowed.contains(where: { $0.hasSameBytes(as: target) }) { throw .invalidTarget }
            let issued = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.accessTokens.exchange(
                    source, of: user, for: token.client,
                    terms: GrantTerms(
                        scopes: wanted, audiences: targets.isEmpty ? nil : targets, confirmation: token.confirmation,
                        actors: [token.client.id] + principal.actors, end: principal.expiresAt))
            }
            await services.authorization.note(.tokenExchange, issued.session, client: token.client.id, token.caller)
            return TokenAnswer(
                accessToken: issued.accessToken, isBoundToKey: token.confirmation != nil,
                life: issued.accessTokenExpiresAt.duration(since: issued.session.time(at: services.authorization.system.now())),
                scopes: wanted, issuedTokenType: Self.accessToken)
        }

        /// Whose token it is that was sent.
        private func subject(_ token: TokenRequest) async throws(Failure) -> (SecretString, Principal, AuthenticatedUser) {
            let text = SecretString(try token.form.required("subject_token"))
            let type = try token.form.required("subject_token_type")
            guard [Self.accessToken, Self.jwt].contains(type) else {
                throw .invalidRequest("only access tokens can be exchanged")
            }
            let principal = try await principal(text, "subject_token")
            guard let user = principal.user,
                principal.audiences.contains(where: { token.client.audiences.contains($0) })
            else { throw .invalidRequest("the subject_token is not for this client") }
            guard principal.actors.count < Self.longestChain else {
                throw .invalidRequest("the subject_token has come through too many hands")
            }
            guard principal.confirmation == nil || principal.confirmation == token.confirmation else {
                throw .invalidRequest("the subject_token is bound to another key")
            }
            return (text, principal, user)
        }

        /// Nobody acts but the client that asks.
        private func checkActor(_ token: TokenRequest) async throws(Failure) {
            guard let text = token.form["actor_token"] else {
                guard token.form["actor_token_type"] == nil else { throw .invalidRequest("actor_token is missing") }
                return
            }
            guard token.form["actor_token_type"] == Self.accessToken else {
                throw .invalidRequest("the actor_token_type is missing or not that of an access token")
            }
            let actor = try await principal(SecretString(text), "actor_token")
            guard actor.subject == .client, actor.clientID == token.client.id else {
                throw .invalidRequest("the actor_token is not this client's own")
            }
        }

        private func principal(_ text: SecretString, _ name: String) async throws(Failure) -> Principal {
            do throws(IdentityError) {
                return try await services.accessTokens.authenticate(text)
            } catch {
                throw error == .invalidToken ? .invalidRequest("the \(name) is not valid, or no longer") : Failure(error)
            }
        }
    }
}
