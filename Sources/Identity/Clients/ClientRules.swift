import JOSE

/// What is wrong with a client, field by field. Whoever takes a client from outside shows it in words of its own.
package struct ClientProblem: Error, Equatable, Sendable {
    /// The names of RFC 7591 §2 where it has one.
    package enum Field: String, Sendable, CaseIterable {
        case name = "client_name"
        case redirectURIs = "redirect_uris"
        case postLogoutRedirectURIs = "post_logout_redirect_uris"
        case frontChannelLogout = "frontchannel_logout_uri"
        case backChannelLogout = "backchannel_logout_uri"
        case grantTypes = "grant_types"
        case responseTypes = "response_types"
        case authenticationMethod = "token_endpoint_auth_method"
        case keys = "jwks"
        case keysURL = "jwks_uri"
        case scopes = "scope"
        case audiences
        case requiresPKCE = "require_pkce"
        case rotatesRefreshTokens = "rotates_refresh_tokens"
        case accessTokenLifetime = "access_token_lifetime"
        case sessionLifetime = "session_lifetime"
        case homePage = "client_uri"
        case logo = "logo_uri"
        case policy = "policy_uri"
        case terms = "tos_uri"
        case contacts
    }

    package let field: Field
    /// Of several values the one that is wrong.
    package let value: String?
    /// Ends a sentence that begins with the name of the field, and the value.
    package let sentence: String

    package init(_ field: Field, value: String? = nil, _ sentence: String) {
        self.field = field
        self.value = value
        self.sentence = sentence
    }
}

extension Client {
    /// How many there may be of each, and how long.
    package enum Bounds {
        /// In Unicode scalars.
        package static let name = 1...200
        package static let redirectURIs = 50
        package static let scopes = 50
        package static let audiences = 50
        package static let contacts = 10
        /// In bytes.
        package static let contact = 1...200
        package static let accessTokenLifetime = Duration.seconds(1) ... .seconds(86_400)
        package static let sessionLifetime = Duration.seconds(60) ... .seconds(3650 * 86_400)
    }

    /// What keeps it from being stored: values that are not allowed, and those that contradict each other. Empty for a client that is right.
    package func problems() -> [ClientProblem] {
        textProblems() + grantProblems() + authenticationProblems() + addressProblems() + lifetimeProblems()
    }

    private func textProblems() -> [ClientProblem] {
        var problems: [ClientProblem] = []
        if !Bounds.name.contains(name.unicodeScalars.count) || !name.showsSomething
            || name.unicodeScalars.contains(where: { $0.breaksLines || $0.isInvisible })
        {
            problems.append(
                ClientProblem(.name, "has to have 1 to 200 characters, and no line break, control or invisible character"))
        }
        if scopes.count > Bounds.scopes || Set(scopes).count < scopes.count || !scopes.allSatisfy(\.isScope) {
            problems.append(
                ClientProblem(
                    .scopes,
                    "has to be at most 50 scopes, each of 1 to 64 visible ASCII characters without quotes and backslashes"))
        }
        if audiences.isEmpty, mayIntrospect {
            problems.append(ClientProblem(.audiences, "is missing: a client that introspects sees the tokens of its audiences"))
        }
        if audiences.count > Bounds.audiences || Set(audiences).count < audiences.count || !audiences.allSatisfy(\.isAudience) {
            problems.append(
                ClientProblem(
                    .audiences, "has to be at most 50, each of 1 to 255 visible ASCII characters without quotes and backslashes"))
        }
        let contacts = presentation.contacts
        if contacts.count > Bounds.contacts
            || !contacts.allSatisfy({
                Bounds.contact.contains($0.utf8.count) && !$0.unicodeScalars.contains(where: \.breaksLines)
            })
        {
            problems.append(ClientProblem(.contacts, "has to be at most 10, each of 1 to 200 bytes without line breaks"))
        }
        return problems
    }

    private func grantProblems() -> [ClientProblem] {
        var problems: [ClientProblem] = []
        let forUsers: Set<GrantType> = [.authorizationCode, .deviceCode]
        if grantTypes.contains(.refreshToken), grantTypes.isDisjoint(with: forUsers) {
            problems.append(
                ClientProblem(.grantTypes, "has refresh_token, which needs authorization_code or the device code beside it"))
        }
        if !grantTypes.isDisjoint(with: forUsers), !maySignUsersIn {
            problems.append(ClientProblem(.grantTypes, "is for users, and this client may not sign users in"))
        }
        if grantTypes.contains(.clientCredentials), isPublic {
            problems.append(ClientProblem(.grantTypes, "has client_credentials, which a public client cannot use: it has none"))
        }
        if responseTypes.contains(.code) != grantTypes.contains(.authorizationCode) {
            problems.append(
                ClientProblem(.responseTypes, "has to be code with the grant authorization_code, and nothing without it"))
        }
        if grantTypes.contains(.refreshToken), isPublic, !rotatesRefreshTokens, !requiresDPoP {
            problems.append(
                ClientProblem(
                    .rotatesRefreshTokens,
                    "has to be on: the refresh tokens of a public client are for one use each, or bound to a key by DPoP"))
        }
        if grantTypes.contains(.authorizationCode), isPublic, !requiresPKCE {
            problems.append(ClientProblem(.requiresPKCE, "has to be on for a public client"))
        }
        return problems
    }

    private func authenticationProblems() -> [ClientProblem] {
        var problems: [ClientProblem] = []
        if kind == .spa, !isPublic {
            problems.append(ClientProblem(.authenticationMethod, "has to be none: a page in a browser can keep no secret"))
        }
        if mayIntrospect, isPublic {
            problems.append(ClientProblem(.authenticationMethod, "cannot be none for a client that introspects"))
        }
        switch keys {
        case .set(let set)? where set.keys.isEmpty || !set.skipped.isEmpty:
            problems.append(
                ClientProblem(.keys, "has to be a JSON Web Key Set of public keys for ES256 or RS256, each with a kid of its own")
            )
        case .url(let text)? where (try? RedirectURI(text, .webPage)) == nil:
            problems.append(ClientProblem(.keysURL, "has to be an https URL"))
        case nil where authentication == .privateKeyJWT:
            problems.append(ClientProblem(.keys, "is missing: private_key_jwt needs jwks or jwks_uri"))
        case nil, .set, .url: break
        }
        return problems
    }

    private func addressProblems() -> [ClientProblem] {
        var problems: [ClientProblem] = []
        let sets = [
            (ClientProblem.Field.redirectURIs, redirectURIs), (.postLogoutRedirectURIs, postLogoutRedirectURIs),
        ]
        for (field, uris) in sets {
            if uris.count > Bounds.redirectURIs || Set(uris).count < uris.count {
                problems.append(ClientProblem(field, "has to be at most 50 URIs, each once"))
            }
            for uri in uris {
                do throws(RedirectURI.Refusal) {
                    _ = try RedirectURI(uri.text, kind.redirectRule)
                } catch {
                    problems.append(ClientProblem(field, value: uri.text, error.rawValue))
                }
            }
        }
        if grantTypes.contains(.authorizationCode) == redirectURIs.isEmpty {
            problems.append(
                ClientProblem(
                    .redirectURIs,
                    redirectURIs.isEmpty
                        ? "is missing: with the grant authorization_code there has to be one at least"
                        : "has no use without the grant authorization_code"))
        }
        let logouts = [
            (ClientProblem.Field.frontChannelLogout, frontChannelLogout), (.backChannelLogout, backChannelLogout),
        ]
        for case (let field, let logout?) in logouts where (try? RedirectURI(logout.uri, .webPage)) == nil {
            problems.append(ClientProblem(field, "has to be an https URL without a fragment"))
        }
        let pages = [
            (ClientProblem.Field.homePage, presentation.homePage), (.logo, presentation.logo), (.policy, presentation.policy),
            (.terms, presentation.terms),
        ]
        for case (let field, let url?) in pages where (try? RedirectURI(url, .webPage)) == nil {
            problems.append(ClientProblem(field, "has to be an https URL"))
        }
        return problems
    }

    private func lifetimeProblems() -> [ClientProblem] {
        var problems: [ClientProblem] = []
        if !Bounds.accessTokenLifetime.contains(accessTokenLifetime) || accessTokenLifetime > sessionLifetime.idle {
            problems.append(
                ClientProblem(.accessTokenLifetime, "has to be from 1s to 24h, and not longer than a session lives without use"))
        }
        if !Bounds.sessionLifetime.contains(sessionLifetime.idle) || !Bounds.sessionLifetime.contains(sessionLifetime.absolute)
            || sessionLifetime.idle > sessionLifetime.absolute
        {
            problems.append(
                ClientProblem(.sessionLifetime, "has to be from 1m to 3650d, without use not longer than in all"))
        }
        return problems
    }
}

extension String {
    /// Whether it may be the audience of a token: visible ASCII that no JSON string needs to escape, at most 255 bytes.
    package var isAudience: Bool {
        (1...255).contains(utf8.count)
            && utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }

    /// A scope (RFC 6749 §3.3).
    package var isScope: Bool {
        utf8.count <= 64 && isAudience
    }
}
