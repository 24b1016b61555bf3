import HTTP
import Identity
import Text

/// Finds out whose a request is: by the header of the tokens in use, else by their cookie, else by `sessionid` (contract §2, §4).
struct RestAuthCaller: Sendable {
    /// Who asks, as the database has them now.
    struct Known: Sendable {
        let user: User
        let sessionID: SessionID
    }

    private typealias Owner = (userID: UserID, sessionID: SessionID)

    private let services: Services
    private let api: RestAuthServices
    private var options: RestAuthOptions { api.options }

    init(_ services: Services) {
        self.services = services
        api = services.restAuth
    }

    /// - Parameter access: what the endpoint does.
    /// - Throws: a 401 in the words of the dialect; 403 for a page of another site that uses a cookie; 503 when a store is away.
    func authenticate(_ request: Request, for access: AccountAccess) async throws(RestAuthError) -> Known {
        let authenticated = try await byToken(request.head, access)
        let user: User
        do throws(IdentityError) {
            user = try await services.accounts.user(authenticated.userID)
        } catch .userNotFound {
            throw gone
        } catch {
            throw .identity(error)
        }
        guard !user.isDisabled else { throw disabled }
        return Known(user: user, sessionID: authenticated.sessionID)
    }

    private func byToken(_ head: RequestHead, _ access: AccountAccess) async throws(RestAuthError) -> Owner {
        if let token = try RestAuthToken.inHeader(of: head, options) { return try await owner(of: token, access) }
        if let cookie = RestAuthCookies.value(options.tokenCookies.access, in: head), options.tokens == .jwt {
            try RestAuthOrigin(services).check(head)
            return try await owner(of: cookie, access)
        }
        guard let cookie = RestAuthCookies.value(RestAuthCookies.session, in: head) else { throw .unauthenticated(.notProvided) }
        try RestAuthOrigin(services).check(head)
        do throws(IdentityError) {
            let session = try await services.sessions.session(of: cookie, use: .restAuth, slides: false).session
            return (session.userID, session.id)
        } catch .invalidToken {
            throw .unauthenticated(.notProvided)
        } catch {
            throw .identity(error)
        }
    }

    private func owner(of token: SecretString, _ access: AccountAccess) async throws(RestAuthError) -> Owner {
        let appearance = try RestAuthToken.check(token, api)
        do throws(IdentityError) {
            let owner = try await services.accessTokens.authenticate(token, for: access)
            return (owner.userID, owner.sessionID)
        } catch .invalidToken {
            throw try await refusal(of: appearance)
        } catch .userNotFound {
            throw gone
        } catch {
            throw .identity(error)
        }
    }

    /// Why a token is not good that looks like one of ours.
    private func refusal(of appearance: RestAuthToken.Appearance) async throws(RestAuthError) -> RestAuthError {
        let claims: JSONObject
        switch appearance {
        case .key: return .unauthenticated(.invalidToken)
        case .expired(let refusal): return refusal
        case .jwt(let read): claims = read
        }
        guard options.dialect == .djRestAuth else { return .unauthenticated(.jwtUndecodable) }
        guard let number = claims["user_id"]?.stringValue.flatMap({ Int64($0) }) else { return .accessToken(.token(.invalid)) }
        do throws(IdentityError) {
            guard let id = try await api.profiles.user(withNumber: number) else { return gone }
            return try await services.accounts.user(id).isDisabled ? disabled : .accessToken(.token(.invalid))
        } catch .userNotFound {
            return gone
        } catch {
            throw .identity(error)
        }
    }

    private var gone: RestAuthError {
        options.isSimpleJWT ? .token(.userNotFound, code: "user_not_found") : .unauthenticated(.inactiveUser)
    }

    private var disabled: RestAuthError {
        options.isSimpleJWT ? .token(.userIsInactive, code: "user_inactive") : .unauthenticated(.inactiveUser)
    }
}
