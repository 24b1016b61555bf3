package import Text

/// What comes next of an authorization request that is right: whether the user is asked to do something, and what.
package enum AuthorizationDecision: Equatable, Sendable {
    /// The user has to say who they are.
    case signIn
    /// The user is to make an account.
    case signUp
    /// The user has to agree.
    case consent
    case refused(AuthorizationRefusal)
    /// A code may be issued.
    case granted

    /// What is known when it is made.
    package struct Circumstances: Sendable {
        /// The browser's session, if it lives.
        package let session: Session?
        /// What the user of that session has allowed the client before.
        package let consent: Consent?
        /// The user of `id_token_hint`.
        package let hinted: UserID?
        /// When the user was first asked to act for this very request; nil when they have not been asked yet.
        package let startedAt: Timestamp?
        package let now: Timestamp

        package init(session: Session?, consent: Consent?, hinted: UserID?, startedAt: Timestamp?, now: Timestamp) {
            self.session = session
            self.consent = consent
            self.hinted = hinted
            self.startedAt = startedAt
            self.now = now
        }
    }

    /// OpenID Connect Core 1.0 §3.1.2.3 and §3.1.2.4.
    package init(_ request: AuthorizationRequest, _ known: Circumstances) {
        let mayAsk = !request.prompts.contains(.none)
        guard let session = known.session else {
            self = mayAsk ? Self.signingIn(request) : Self.loginRequired
            return
        }
        let isFresh = known.startedAt.map { session.ownAuthenticatedAt >= $0 } ?? false
        if !request.isAbout(session.userID, hinted: known.hinted) {
            // Somebody else has signed in for this very request: to ask once more would go on for ever.
            self = mayAsk && !isFresh ? Self.signingIn(request) : Self.loginRequired
            return
        }
        if !isFresh, Self.needsFreshSignIn(request, session, known.now) {
            self = mayAsk ? Self.signingIn(request) : Self.loginRequired
            return
        }
        if let refusal = request.refusal(ofSignInBy: session.methods) {
            self = .refused(refusal)
            return
        }
        if Self.needsConsent(request, known) {
            self = mayAsk ? .consent : .refused(AuthorizationRefusal(.consentRequired, "The user has not agreed to this."))
            return
        }
        self = .granted
    }

    private static let loginRequired = AuthorizationDecision.refused(
        AuthorizationRefusal(.loginRequired, "The user is not signed in as is asked for."))

    private static func signingIn(_ request: AuthorizationRequest) -> AuthorizationDecision {
        request.prompts.contains(.create) ? .signUp : .signIn
    }

    private static func needsFreshSignIn(_ request: AuthorizationRequest, _ session: Session, _ now: Timestamp) -> Bool {
        if !request.prompts.isDisjoint(with: [.login, .selectAccount, .create]) { return true }
        guard let age = request.maximumAge else { return false }
        return age == .zero || now.duration(since: session.ownAuthenticatedAt) > age
    }

    private static func needsConsent(_ request: AuthorizationRequest, _ known: Circumstances) -> Bool {
        // Any app on a device can take a scheme of another's, and ask in its name: the user sees it (RFC 8252 §8.6).
        let isAskedFor =
            request.prompts.contains(.consent)
            || !request.client.isFirstParty && RedirectURI(stored: request.redirectURI).hasOwnScheme
        if request.client.isFirstParty, !isAskedFor { return false }
        guard let consent = known.consent, consent.covers(request.scopesForConsent) else { return true }
        return isAskedFor && !(known.startedAt.map { consent.grantedAt >= $0 } ?? false)
    }
}

extension AuthorizationRequest {
    /// Whether a user is the one whom the request wants, if it wants a certain one (OpenID Connect Core 1.0 §3.1.2.2).
    /// - Parameter hinted: the user of `id_token_hint`.
    package func isAbout(_ user: UserID, hinted: UserID?) -> Bool {
        if let hinted, hinted != user { return false }
        return claims.subjects?.contains(user.description) ?? true
    }

    /// Why a sign-in by these methods is not enough; nil if it is (OpenID Connect Core 1.0 §5.5.1.1).
    package func refusal(ofSignInBy methods: Set<AuthenticationMethod>) -> AuthorizationRefusal? {
        guard let contexts = claims.essentialContexts, !contexts.contains(IDTokenIssuer.contextClass(of: methods)) else {
            return nil
        }
        return AuthorizationRefusal(.accessDenied, "The user has not signed in as strongly as is asked for (acr).")
    }
}
