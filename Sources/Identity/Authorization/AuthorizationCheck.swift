import Text

/// The checks of an authorization request, in the order in which they are made.
///
/// Until the client and the redirect URI are known to belong together, a refusal is shown to the user and nobody is redirected (RFC 6749 §4.1.2.1,
/// RFC 9700 §4.11). After that, it goes to the client. `check` is the only place that decides which of the two it is.
package struct AuthorizationCheck: Sendable {
    /// What comes of a request.
    package enum Outcome: Sendable {
        case accepted(AuthorizationRequest)
        /// Shown on a page of ours.
        case shown(AuthorizationRefusal)
        /// Sent to the client.
        case redirected(AuthorizationRefusal, to: Return)
    }

    /// Where an answer goes, once that is trusted.
    package struct Return: Equatable, Sendable {
        package let redirectURI: String
        package let mode: AuthorizationRequest.ResponseMode
        package let state: String?

        package init(redirectURI: String, mode: AuthorizationRequest.ResponseMode, state: String?) {
            self.redirectURI = redirectURI
            self.mode = mode
            self.state = state
        }
    }

    /// One check after the redirect URI is trusted.
    package struct Step: Sendable {
        /// For `kidoban explain authorize`.
        package let name: String
        let check: @Sendable (inout Draft) throws(AuthorizationRefusal) -> Void
    }

    /// What the steps fill in.
    struct Draft {
        let parameters: AuthorizationParameters
        let client: Client
        let redirectURI: String
        let isPushed: Bool
        var scopes: [String] = []
        var prompts: Set<AuthorizationRequest.Prompt> = []
        var maximumAge: Duration?
        var challenge: PKCEChallenge?
        var resources: [String] = []
        var claims = RequestedClaims()
        var dpopThumbprint: String?
    }

    /// The scopes that every client may ask for besides its own.
    package static let openIDScopes = ["openid", "profile", "email", "address", "phone", "offline_access"]

    /// The largest `max_age`, in seconds (ten years). A larger value is cut to it, so that no duration overflows.
    private static let longestAge: Int64 = 10 * 365 * 86_400

    /// Whether `request_uri` is one of ours, which a pushed request has already replaced by its parameters.
    package let isPushed: Bool

    package init(isPushed: Bool = false) {
        self.isPushed = isPushed
    }

    /// The order of the checks. The first that fails answers.
    package static let steps: [Step] = [
        Step(name: "no parameter comes twice", check: onceEach),
        Step(name: "no request object", check: noRequestObject),
        Step(name: "response_type is code", check: responseType),
        Step(name: "response_mode is known", check: responseMode),
        Step(name: "the client may use the authorization code grant", check: grantType),
        Step(name: "the scopes are the client's", check: scopes),
        Step(name: "PKCE", check: pkce),
        Step(name: "prompt", check: prompt),
        Step(name: "max_age", check: maximumAge),
        Step(name: "claims", check: claims),
        Step(name: "resource", check: resource),
        Step(name: "dpop_jkt", check: dpopThumbprint),
        Step(name: "lengths", check: lengths),
    ]

    /// - Parameters:
    ///   - client: of `client_id`; nil if there is none, or it is disabled.
    package func check(_ parameters: AuthorizationParameters, client: Client?) -> Outcome {
        let redirectURI: String
        do throws(AuthorizationRefusal) {
            redirectURI = try Self.trustedRedirectURI(parameters, client)
        } catch {
            return .shown(error)
        }
        guard let client else { return .shown(Self.unknownClient) }
        var draft = Draft(parameters: parameters, client: client, redirectURI: redirectURI, isPushed: isPushed)
        let back = Return(
            redirectURI: redirectURI, mode: Self.mode(parameters) ?? .query,
            state: parameters.repeated.contains("state") ? nil : parameters["state"])
        do throws(AuthorizationRefusal) {
            for step in Self.steps { try step.check(&draft) }
        } catch {
            return .redirected(error, to: back)
        }
        return .accepted(draft.request(back))
    }

    /// The same steps for a request of a first-party app, which nobody is redirected for.
    /// - Throws: the first refusal.
    package func check(
        withoutRedirection parameters: AuthorizationParameters, client: Client
    ) throws(AuthorizationRefusal) -> AuthorizationRequest {
        guard parameters["redirect_uri"] == nil else {
            throw AuthorizationRefusal(.invalidRequest, "There is no redirection here.", parameter: "redirect_uri")
        }
        var draft = Draft(parameters: parameters, client: client, redirectURI: "", isPushed: isPushed)
        for step in Self.steps { try step.check(&draft) }
        return draft.request(Return(redirectURI: "", mode: .query, state: nil))
    }

    // MARK: Before anybody is redirected

    private static let unknownClient = AuthorizationRefusal(
        .invalidRequest, "There is no such client.", parameter: "client_id")

    /// The redirect URI, if it is one of the client's.
    package static func trustedRedirectURI(
        _ parameters: AuthorizationParameters, _ client: Client?
    ) throws(AuthorizationRefusal) -> String {
        for name in ["client_id", "redirect_uri"] where parameters.repeated.contains(name) {
            throw AuthorizationRefusal(.invalidRequest, "The parameter \(name) comes twice.", parameter: name)
        }
        guard parameters["client_id"] != nil else {
            throw AuthorizationRefusal(.invalidRequest, "The parameter client_id is missing.", parameter: "client_id")
        }
        guard let client else { throw unknownClient }
        guard let uri = parameters["redirect_uri"] else {
            throw AuthorizationRefusal(.invalidRequest, "The parameter redirect_uri is missing.", parameter: "redirect_uri")
        }
        guard client.allowsRedirect(to: uri) else {
            throw AuthorizationRefusal(
                .invalidRequest, "The redirect_uri is not registered for this client.", parameter: "redirect_uri")
        }
        return uri
    }

    // MARK: The steps

    private static func onceEach(_ draft: inout Draft) throws(AuthorizationRefusal) {
        guard let name = draft.parameters.repeated.min() else { return }
        throw AuthorizationRefusal(.invalidRequest, "The parameter \(name) comes twice.", parameter: name)
    }

    private static func noRequestObject(_ draft: inout Draft) throws(AuthorizationRefusal) {
        if draft.parameters["request"] != nil {
            throw AuthorizationRefusal(.requestNotSupported, "Request objects are not supported.", parameter: "request")
        }
        if draft.parameters["request_uri"] != nil, !draft.isPushed {
            throw AuthorizationRefusal(
                .requestURINotSupported, "Only a request_uri of the pushed authorization request endpoint is supported.",
                parameter: "request_uri")
        }
        if draft.parameters["registration"] != nil {
            throw AuthorizationRefusal(
                .registrationNotSupported, "The parameter registration is not supported.", parameter: "registration")
        }
    }

    private static func responseType(_ draft: inout Draft) throws(AuthorizationRefusal) {
        guard let type = draft.parameters["response_type"] else {
            throw AuthorizationRefusal(.invalidRequest, "The parameter response_type is missing.", parameter: "response_type")
        }
        guard type == "code" else {
            throw AuthorizationRefusal(
                .unsupportedResponseType, "Only the response_type code is supported.", parameter: "response_type")
        }
    }

    private static func mode(_ parameters: AuthorizationParameters) -> AuthorizationRequest.ResponseMode? {
        parameters["response_mode"].map { AuthorizationRequest.ResponseMode(rawValue: $0) } ?? .query
    }

    private static func responseMode(_ draft: inout Draft) throws(AuthorizationRefusal) {
        guard mode(draft.parameters) != nil else {
            throw AuthorizationRefusal(
                .invalidRequest, "The response_mode is neither query nor form_post.", parameter: "response_mode")
        }
    }

    private static func grantType(_ draft: inout Draft) throws(AuthorizationRefusal) {
        guard draft.client.grantTypes.contains(.authorizationCode), draft.client.responseTypes.contains(.code) else {
            throw AuthorizationRefusal(
                .unauthorizedClient, "The client is not registered for the authorization code grant.", parameter: "client_id")
        }
    }

    private static func scopes(_ draft: inout Draft) throws(AuthorizationRefusal) {
        let asked = try ScopeText.scopes(draft.parameters["scope"] ?? "")
        if let stranger = asked.first(where: { !draft.client.mayHave(scope: $0) }) {
            throw AuthorizationRefusal(.invalidScope, "The client may not ask for the scope \(stranger).", parameter: "scope")
        }
        draft.scopes = asked
    }

    private static func pkce(_ draft: inout Draft) throws(AuthorizationRefusal) {
        let method = draft.parameters["code_challenge_method"]
        guard let text = draft.parameters["code_challenge"] else {
            if draft.client.requiresPKCE || draft.client.isPublic {
                throw AuthorizationRefusal(
                    .invalidRequest, "The parameter code_challenge is missing.", parameter: "code_challenge")
            }
            if method != nil {
                throw AuthorizationRefusal(
                    .invalidRequest, "There is a code_challenge_method without a code_challenge.", parameter: "code_challenge")
            }
            return
        }
        guard method == "S256" else {
            throw AuthorizationRefusal(
                .invalidRequest, "The code_challenge_method must be S256.", parameter: "code_challenge_method")
        }
        guard let challenge = PKCEChallenge(text) else {
            throw AuthorizationRefusal(
                .invalidRequest, "The code_challenge is not the base64url of a SHA-256.", parameter: "code_challenge")
        }
        draft.challenge = challenge
    }

    private static func prompt(_ draft: inout Draft) throws(AuthorizationRefusal) {
        for word in (draft.parameters["prompt"] ?? "").split(separator: " ") {
            guard let prompt = AuthorizationRequest.Prompt(rawValue: String(word)) else {
                throw AuthorizationRefusal(.invalidRequest, "The parameter prompt has an unknown value.", parameter: "prompt")
            }
            draft.prompts.insert(prompt)
        }
        if draft.prompts.contains(.none), draft.prompts.count > 1 {
            throw AuthorizationRefusal(
                .invalidRequest, "The prompt value none cannot be combined with another.", parameter: "prompt")
        }
    }

    private static func maximumAge(_ draft: inout Draft) throws(AuthorizationRefusal) {
        guard let text = draft.parameters["max_age"] else { return }
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let seconds = Int64(text)
        else {
            throw AuthorizationRefusal(.invalidRequest, "The max_age is not a number of seconds.", parameter: "max_age")
        }
        draft.maximumAge = .seconds(min(seconds, longestAge))
    }

    private static func claims(_ draft: inout Draft) throws(AuthorizationRefusal) {
        guard let text = draft.parameters["claims"] else { return }
        guard let claims = RequestedClaims(text) else {
            throw AuthorizationRefusal(.invalidRequest, "The parameter claims is malformed.", parameter: "claims")
        }
        draft.claims = claims
    }

    private static func resource(_ draft: inout Draft) throws(AuthorizationRefusal) {
        for resource in draft.parameters.resources {
            guard draft.client.mayHave(resource: resource) else {
                throw AuthorizationRefusal(
                    .invalidTarget, "The client may not ask for tokens for this resource.", parameter: "resource")
            }
        }
        draft.resources = draft.parameters.resources
    }

    private static func dpopThumbprint(_ draft: inout Draft) throws(AuthorizationRefusal) {
        guard let text = draft.parameters["dpop_jkt"] else { return }
        guard text.utf8.count == 43, Base64URL.decode(text)?.count == 32 else {
            throw AuthorizationRefusal(.invalidRequest, "The dpop_jkt is not a JWK thumbprint.", parameter: "dpop_jkt")
        }
        draft.dpopThumbprint = text
    }

    private static func lengths(_ draft: inout Draft) throws(AuthorizationRefusal) {
        guard !draft.parameters.isTooLong else {
            throw AuthorizationRefusal(.invalidRequest, "The parameters are too long.")
        }
        if let nonce = draft.parameters["nonce"], nonce.utf8.count > 1024 {
            throw AuthorizationRefusal(.invalidRequest, "The nonce is longer than 1024 bytes.", parameter: "nonce")
        }
    }
}

extension AuthorizationCheck.Draft {
    fileprivate func request(_ back: AuthorizationCheck.Return) -> AuthorizationRequest {
        AuthorizationRequest(
            client: client, redirectURI: redirectURI, responseMode: back.mode, state: back.state,
            scopes: scopes, nonce: parameters["nonce"], prompts: prompts, maximumAge: maximumAge, challenge: challenge,
            resources: resources, loginHint: parameters["login_hint"], idTokenHint: parameters["id_token_hint"],
            uiLocales: (parameters["ui_locales"] ?? "").split(separator: " ").map(String.init),
            claims: claims, dpopThumbprint: dpopThumbprint)
    }
}

/// `scope` (RFC 6749 §3.3).
package enum ScopeText {
    static let maximumCount = 64

    /// The scopes, each once, in their order.
    /// - Throws: `invalid_scope` for a character that no scope may have, and for too many.
    package static func scopes(_ text: String) throws(AuthorizationRefusal) -> [String] {
        var found: [String] = []
        var seen: Set<Substring> = []
        for word in text.split(separator: " ") {
            let isLegal = word.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
            guard isLegal, word.utf8.count <= 256 else {
                throw AuthorizationRefusal(.invalidScope, "The scope has a character that it may not have.", parameter: "scope")
            }
            // All ASCII: the same characters are the same bytes.
            guard seen.insert(word).inserted else { continue }
            guard found.count < maximumCount else {
                throw AuthorizationRefusal(.invalidScope, "There are too many scopes.", parameter: "scope")
            }
            found.append(String(word))
        }
        return found
    }
}

extension Client {
    /// Whether its tokens may be good for this.
    package func mayHave(scope: String) -> Bool {
        (scopes + AuthorizationCheck.openIDScopes).contains { $0.hasSameBytes(as: scope) }
    }

    /// Whether they may be for this (RFC 8707 §2).
    package func mayHave(resource: String) -> Bool {
        tokenAudiences.contains { $0.hasSameBytes(as: resource) }
    }
}
