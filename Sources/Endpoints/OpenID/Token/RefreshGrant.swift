import HTTP
import Identity
import Text

extension OpenID {
    /// `grant_type=refresh_token` (RFC 6749 §6, OpenID Connect Core 1.0 §12).
    struct RefreshGrant: Sendable {
        let services: Services

        func tokens(_ token: TokenRequest) async throws(Failure) -> TokenAnswer {
            let presented = SecretString(try token.form.required("refresh_token"))
            let server = services.authorization
            // Looked at before it is used: a request that asks for too much costs no token.
            var options = RefreshOptions(for: token.client.id)
            if let held = try await held(presented, token) {
                options.scopes = try scopes(of: held.grant, token)
                options.audiences = try audiences(of: held.grant, token)
                options.confirmation = try confirmation(of: held.grant, token)
            }
            let tokens = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.sessions.refresh(presented, options, caller: token.caller)
            }
            let scopes = options.scopes ?? tokens.grant.scopes ?? token.client.scopes
            var idToken: SecretString?
            if scopes.contains("openid") {
                idToken = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                    // The grant that a session began with is in no browser's session.
                    let sessionID = tokens.grant.id == .first ? nil : tokens.session.id
                    return try server.idTokens.token(
                        IDTokenContent(session: tokens.session, sessionID: sessionID, accessToken: tokens.accessToken),
                        for: token.client)
                }
            }
            return TokenAnswer(
                accessToken: tokens.accessToken, isBoundToKey: options.confirmation ?? tokens.grant.confirmation != nil,
                life: tokens.accessTokenExpiresAt.duration(since: tokens.session.time(at: server.system.now())),
                refreshToken: tokens.refreshToken, idToken: idToken, scopes: scopes)
        }

        /// What the token belongs to; nil for one that the refresh will refuse, and put on record.
        private func held(
            _ presented: SecretString, _ token: TokenRequest
        ) async throws(Failure) -> (session: Session, grant: Grant)? {
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                do throws(IdentityError) {
                    return try await services.sessions.grant(ofRefreshToken: presented, for: token.client)
                } catch .invalidRefreshToken {
                    return nil
                }
            }
        }

        /// A part of what the user has agreed to, or all of it.
        private func scopes(of grant: Grant, _ token: TokenRequest) throws(Failure) -> [String]? {
            guard let wanted = try token.form.scopes(), !wanted.isEmpty else { return nil }
            let granted = grant.scopes ?? token.client.scopes
            guard wanted.allSatisfy({ scope in granted.contains { $0.hasSameBytes(as: scope) } }) else {
                throw .invalidScope("the grant has no such scope")
            }
            return wanted
        }

        private func audiences(of grant: Grant, _ token: TokenRequest) throws(Failure) -> [String]? {
            guard !token.form.resources.isEmpty else { return nil }
            let granted = (grant.audiences ?? token.client.tokenAudiences)
            let resources = try token.resources(of: granted)
            return services.authorization.audiences(resources, for: token.client, scopes: grant.scopes ?? token.client.scopes)
        }

        /// The refresh token of a public client is bound to the key that it was given for (RFC 9449 §5).
        private func confirmation(of grant: Grant, _ token: TokenRequest) throws(Failure) -> KeyConfirmation? {
            guard token.client.isPublic, let bound = grant.confirmation else { return token.confirmation }
            guard let shown = token.confirmation else {
                throw Failure(.badRequest, "invalid_dpop_proof", "the refresh token is bound to a key")
            }
            guard shown == bound else { throw .invalidGrant("the refresh token is bound to another key") }
            return shown
        }
    }
}
