import HTTP
import Identity
import Text

extension OpenID {
    /// `grant_type=client_credentials` (RFC 6749 §4.4): for clients that have proved themselves. There is no refresh token.
    struct ClientCredentialsGrant: Sendable {
        let services: Services

        func tokens(_ token: TokenRequest) async throws(Failure) -> TokenAnswer {
            let client = token.client
            guard !client.isPublic else { throw .unauthorizedClient }
            let scopes = try token.form.scopes() ?? client.scopes.filter { !AuthorizationCheck.openIDScopes.contains($0) }
            guard scopes.allSatisfy({ scope in client.scopes.contains { $0.hasSameBytes(as: scope) } }),
                !scopes.contains("openid")
            else { throw .invalidScope("the client may not have such a scope") }
            let resources = try token.resources(of: client.tokenAudiences)
            let issued = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.authorization.clientTokens.issue(
                    to: client, scopes: scopes, audiences: resources.isEmpty ? nil : resources, confirmation: token.confirmation)
            }
            return TokenAnswer(
                accessToken: issued.accessToken, isBoundToKey: token.confirmation != nil, life: issued.life, scopes: scopes)
        }
    }
}
