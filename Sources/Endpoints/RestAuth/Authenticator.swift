import HTTP
import Identity
import Routing
import Text

extension RestAuth {
    /// Finds out whose a request is: by the header of the tokens in use, else by their cookie, else by `sessionid`.
    struct Authenticator: Sendable {
        /// Who asks, as the database has them now.
        struct Known: Sendable {
            let user: User
            let sessionID: SessionID
        }

        private typealias Owner = (userID: UserID, sessionID: SessionID)

        private let services: Services
        private let api: Parts
        private var options: Options { api.options }

        init(_ services: Services, _ api: Parts) {
            self.services = services
            self.api = api
        }

        /// - Parameter access: what the endpoint does.
        /// - Throws: a 401 in the words of the dialect; 403 for a page of another site that uses a cookie; 503 when a store is away.
        func authenticate(_ request: Request, for access: AccountAccess) async throws(Failure) -> Known {
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

        private func byToken(_ head: RequestHead, _ access: AccountAccess) async throws(Failure) -> Owner {
            if let token = try HeaderToken.inHeader(of: head, options) { return try await owner(of: token, access) }
            if let cookie = Cookies.value(options.tokenCookies.access, in: head), options.tokens == .jwt {
                try OriginCheck(services).check(head)
                return try await owner(of: cookie, access)
            }
            guard let cookie = Cookies.value(Cookies.session, in: head) else { throw .unauthenticated(.notProvided) }
            try OriginCheck(services).check(head)
            do throws(IdentityError) {
                let session = try await services.sessions.session(of: cookie, use: .restAuth, slides: false).session
                return (session.userID, session.id)
            } catch .invalidToken {
                throw .unauthenticated(.notProvided)
            } catch {
                throw .identity(error)
            }
        }

        private func owner(of token: SecretString, _ access: AccountAccess) async throws(Failure) -> Owner {
            let appearance = try HeaderToken.check(token, api)
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
        private func refusal(of appearance: HeaderToken.Appearance) async throws(Failure) -> Failure {
            let claims: JSONObject
            switch appearance {
            case .key: return .unauthenticated(.invalidToken)
            case .expired(let refusal): return refusal
            case .jwt(let read): claims = read
            }
            guard options.dialect == .djRestAuth else { return .unauthenticated(.jwtUndecodable) }
            guard let number = claims["user_id"]?.stringValue.flatMap({ Int64($0) }) else {
                return .accessToken(.token(.invalid))
            }
            do throws(IdentityError) {
                guard let id = try await api.profiles.user(withNumber: number) else { return gone }
                return try await services.accounts.user(id).isDisabled ? disabled : .accessToken(.token(.invalid))
            } catch .userNotFound {
                return gone
            } catch {
                throw .identity(error)
            }
        }

        private var gone: Failure {
            options.isSimpleJWT ? .token(.userNotFound, code: "user_not_found") : .unauthenticated(.inactiveUser)
        }

        private var disabled: Failure {
            options.isSimpleJWT ? .token(.userIsInactive, code: "user_inactive") : .unauthenticated(.inactiveUser)
        }

        static func schemes(_ options: Options) -> [SecurityScheme] {
            var schemes = [
                SecurityScheme.header("restAuthKey", field: "Authorization", "`Token` and the key; `JWT` or `Bearer` and a JWT."),
                SecurityScheme.cookie("restAuthSession", cookie: Cookies.session, "What a sign-in sets."),
            ]
            if options.tokens == .jwt, !options.tokenCookies.access.isEmpty {
                schemes.append(.cookie("restAuthToken", cookie: options.tokenCookies.access, "The access token."))
            }
            return schemes
        }

        /// What any route that asks whose a request is can answer.
        static let refusals: [DocumentedResponse] = [
            .json(
                .unauthorized, "No token, or one that is not good.",
                .object([
                    .required("detail", .string), .optional("code", .string), .optional("messages", .array(of: .any)),
                ]).named("RestAuthRefusal")), Failure.crossSiteDocumented,
        ]
    }
}
