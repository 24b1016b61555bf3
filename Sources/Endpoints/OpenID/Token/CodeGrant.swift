import HTTP
import Identity
import Routing
import Text

extension OpenID {
    /// `grant_type=authorization_code` (RFC 6749 §4.1.3, OpenID Connect Core 1.0 §3.1.3).
    struct CodeGrant: Sendable {
        let services: Services

        func tokens(_ token: TokenRequest) async throws(Failure) -> TokenAnswer {
            let text = SecretString(try token.form.required("code"))
            guard let code = AuthorizationCode(text) else { throw .grantIsVoid }
            let (authorized, redeemed) = try await redeem(code, token)
            let answer: TokenAnswer
            do throws(Failure) {
                try check(authorized, token)
                answer = try await GrantIssue(services: services).tokens(
                    for: authorized, code: redeemed, isOffline: authorized.isOfOwnScreens, token)
            } catch {
                // Whoever presents it wrongly has no second attempt.
                if !error.isNobodysFault { await services.authorization.codes.useUp(redeemed) }
                throw error
            }
            if authorized.isOfOwnScreens {
                // It has given way to the app's own. What cannot be ended now ends by itself soon.
                try? await services.sessions.end(
                    authorized.sessionID, of: authorized.userID, reason: .signedOut, caller: token.caller)
            }
            return answer
        }

        /// Takes the code before anything else is looked at: nobody else can present it meanwhile.
        private func redeem(
            _ code: AuthorizationCode, _ token: TokenRequest
        ) async throws(Failure) -> (AuthorizedRequest, AuthorizationCodeStore.RedeemedCode) {
            let redemption = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.authorization.codes.redeem(code)
            }
            switch redemption {
            case .first(let authorized, let redeemed): return (authorized, redeemed)
            case .unknown: throw .grantIsVoid
            case .again(let authorized, let grant):
                try await Failure.mapIdentityErrors { () throws(IdentityError) in
                    try await services.authorization.endReplayed(authorized, grant, caller: token.caller)
                }
                throw .grantIsVoid
            }
        }

        /// Everything that the code is bound to.
        private func check(_ authorized: AuthorizedRequest, _ token: TokenRequest) throws(Failure) {
            guard authorized.clientID == token.client.id else { throw .grantIsVoid }
            guard (token.form["redirect_uri"] ?? "").hasSameBytes(as: authorized.redirectURI) else {
                throw .invalidGrant("the redirect_uri is not that of the authorization request")
            }
            // It may have been taken from the client since, because somebody else gets what is sent there.
            guard authorized.isOfOwnScreens || token.client.allowsRedirect(to: authorized.redirectURI) else { throw .grantIsVoid }
            guard PKCEVerifier.fits(token.form["code_verifier"], authorized.challenge) else {
                throw .invalidGrant("the code_verifier does not fit the authorization request")
            }
            if let thumbprint = authorized.dpopThumbprint {
                guard let key = token.confirmation, Base64URL.encode(key.thumbprint).hasSameBytes(as: thumbprint) else {
                    throw .invalidGrant("the code is bound to another key")
                }
            }
            for resource in token.form.resources where !authorized.resources.isEmpty && !authorized.resources.contains(resource) {
                throw .invalidTarget
            }
        }
    }

    /// Gives a client what a user has agreed to: a grant in the session or, for `offline_access`, a session of its own.
    struct GrantIssue: Sendable {
        let services: Services

        private struct Issued {
            let session: Session
            let grant: Grant
            let accessToken: SecretString
            let expiresAt: Timestamp
            let refreshToken: SecretString?
        }

        /// - Parameters:
        ///   - code: what has led here; nil where nothing can be presented twice.
        ///   - isOffline: whether it outlives the session in which the user has agreed, whatever the scopes say, and has no part in it.
        ///   - finish: the last of what can fail: false when somebody else was faster. Then nothing is given out, and what there is ends.
        func tokens(
            for request: AuthorizedRequest, code: AuthorizationCodeStore.RedeemedCode?, by type: GrantType = .authorizationCode,
            isOffline: Bool = false, _ token: TokenRequest, finish: (() async throws(IdentityError) -> Bool)? = nil
        ) async throws(Failure) -> TokenAnswer {
            let server = services.authorization
            let authorized = request.within(token.client)
            let resources = try token.resources(
                of: authorized.resources.isEmpty ? token.client.tokenAudiences : authorized.resources)
            // A request for one of several resources narrows its own token, not those that the refresh token gives for the others.
            var terms = GrantTerms(
                scopes: authorized.scopes,
                audiences: server.audiences(authorized.resources, for: token.client, scopes: authorized.scopes),
                confirmation: token.confirmation)
            if !resources.isEmpty {
                terms.firstAudiences = server.audiences(resources, for: token.client, scopes: authorized.scopes)
            }
            let (issued, idToken) = try await Failure.mapIdentityErrors {
                () async throws(IdentityError) -> (Issued, SecretString?) in
                let issued: Issued
                let idToken: SecretString?
                do throws(IdentityError) {
                    issued = try await issue(authorized, terms, isOffline: isOffline, token)
                } catch {
                    await giveBack(code, after: error)
                    throw error
                }
                let reference = AuthorizationCodeStore.GrantReference(sessionID: issued.session.id, grantID: issued.grant.id)
                do throws(IdentityError) {
                    try await server.keepClaims(
                        authorized.userInfoClaims, of: reference, life: token.client.sessionLifetime.absolute)
                    // The answer to a replay that came first is the same as to one that comes a moment later: the tokens are good no more.
                    if let code, !(try await server.codes.note(reference, of: code)) {
                        try await end(issued, authorized, token)
                    }
                    // After the grant is there: a consent that is withdrawn from here on ends it, and one that was withdrawn since the user
                    // agreed is seen here.
                    if !token.client.isFirstParty,
                        try await server.consents.consent(of: authorized.userID, to: token.client.id) == nil
                    {
                        throw .sessionNotFound
                    }
                    idToken = try await self.idToken(issued, authorized, isOffline: isOffline, token)
                    if let finish, !(try await finish()) { throw .sessionNotFound }
                } catch {
                    // Nobody has anything of it. If it lives on, the code stays used up.
                    if (try? await end(issued, authorized, token)) != nil { await giveBack(code, after: error) }
                    throw error
                }
                return (issued, idToken)
            }
            await server.note(type, issued.session, client: token.client.id, token.caller)
            return TokenAnswer(
                accessToken: issued.accessToken, isBoundToKey: token.confirmation != nil,
                life: issued.expiresAt.duration(since: issued.session.time(at: server.system.now())),
                refreshToken: issued.refreshToken, idToken: idToken, scopes: authorized.scopes)
        }

        private func issue(
            _ authorized: AuthorizedRequest, _ terms: GrantTerms, isOffline: Bool, _ token: TokenRequest
        ) async throws(IdentityError) -> Issued {
            let (sessions, client) = (services.sessions, token.client)
            let mode: RefreshRotation.Mode = client.rotatesRefreshTokens ? .rotating : .static
            let refreshes = client.grantTypes.contains(.refreshToken)
            if isOffline || refreshes && authorized.scopes.contains("offline_access") {
                let begun = try await sessions.beginOffline(
                    from: authorized.sessionID, agreedAt: authorized.agreedAt, for: client, refresh: mode, terms: terms,
                    joins: !isOffline, caller: token.caller)
                return Issued(
                    session: begun.session, grant: begun.grant, accessToken: begun.accessToken,
                    expiresAt: begun.accessTokenExpiresAt, refreshToken: refreshes ? begun.refreshToken : nil)
            }
            let granted = try await sessions.grant(
                to: client, in: authorized.sessionID, refresh: refreshes ? mode : nil, terms: terms)
            return Issued(
                session: granted.session, grant: granted.grant, accessToken: granted.accessToken,
                expiresAt: granted.accessTokenExpiresAt, refreshToken: granted.refreshToken)
        }

        /// An outage costs the user no code: the client is told to ask again.
        private func giveBack(_ code: AuthorizationCodeStore.RedeemedCode?, after error: IdentityError) async {
            guard let code, error.isOurs else { return }
            await services.authorization.codes.giveBack(code)
        }

        private func end(_ issued: Issued, _ authorized: AuthorizedRequest, _ token: TokenRequest) async throws(IdentityError) {
            try await services.sessions.endGrant(
                issued.grant.id, in: issued.session.id, of: authorized.userID, client: token.client.id, caller: token.caller)
        }

        private func idToken(
            _ issued: Issued, _ authorized: AuthorizedRequest, isOffline: Bool, _ token: TokenRequest
        ) async throws(IdentityError) -> SecretString? {
            guard authorized.scopes.contains("openid") else { return nil }
            var claims = JSONObject()
            if !authorized.idTokenClaims.isEmpty {
                let user = try await services.accounts.user(authorized.userID)
                claims = services.authorization.policy.claims.claims(
                    of: user, scopes: [], further: Set(authorized.idTokenClaims))
            }
            return try services.authorization.idTokens.token(
                IDTokenContent(
                    session: issued.session, sessionID: isOffline ? issued.session.id : authorized.sessionID,
                    nonce: authorized.nonce, accessToken: issued.accessToken, claims: claims), for: token.client)
        }
    }
}
