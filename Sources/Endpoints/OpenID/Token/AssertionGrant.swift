import HTTP
import Identity
import Text

extension OpenID {
    /// `grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer` (RFC 7523 §2.1): a client with keys of its own gets an access token for a user that
    /// its assertion names. There is no refresh token.
    ///
    /// No client has the grant type unless somebody says so, and then it acts for users who have agreed to that, or is the team's own.
    struct AssertionGrant: Sendable {
        let services: Services

        func tokens(_ token: TokenRequest) async throws(Failure) -> TokenAnswer {
            let server = services.authorization
            guard token.client.authentication == .privateKeyJWT else { throw .unauthorizedClient }
            let assertion = SecretString(try token.form.required("assertion"))
            let user: (id: UserID, use: ClientAssertions.Use)
            do throws(IdentityError) {
                user = try await server.assertions.user(of: assertion, from: token.client)
            } catch {
                throw error == .invalidClient ? .grantIsVoid : Failure(error)
            }
            do throws(Failure) {
                return try await tokens(for: user.id, token)
            } catch {
                if error.status.code >= 500 { await server.assertions.giveBack(user.use) }
                throw error
            }
        }

        private func tokens(for userID: UserID, _ token: TokenRequest) async throws(Failure) -> TokenAnswer {
            let server = services.authorization
            let scopes = try token.form.scopes() ?? []
            guard scopes.allSatisfy({ scope in token.client.scopes.contains { $0.hasSameBytes(as: scope) } }),
                !scopes.contains("offline_access")
            else { throw .invalidScope("the client may not ask for such a scope") }
            let resources = try token.resources(of: token.client.tokenAudiences)
            let terms = GrantTerms(
                scopes: scopes, audiences: server.audiences(resources, for: token.client, scopes: scopes),
                confirmation: token.confirmation, actors: [token.client.id])
            let begun = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                if !token.client.isFirstParty {
                    guard let consent = try await server.consents.consent(of: userID, to: token.client.id), consent.covers(scopes)
                    else {
                        throw .invalidToken
                    }
                }
                return try await services.sessions.delegatedToken(
                    for: userID, client: token.client, terms: terms, caller: token.caller)
            }
            await server.note(.jwtBearer, begun.session, client: token.client.id, token.caller)
            return TokenAnswer(
                accessToken: begun.accessToken, isBoundToKey: token.confirmation != nil,
                life: begun.accessTokenExpiresAt.duration(since: begun.session.time(at: server.system.now())), scopes: scopes)
        }
    }
}
