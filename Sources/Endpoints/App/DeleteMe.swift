import HTTP
import Identity
import Routing

extension AppAPI {
    /// `DELETE /auth/me`: deletes the signed-in user's account; all their sessions are over before this is answered. The sign-in must
    /// be a recent one, unless the installation asks for none.
    struct DeleteMe: Endpoint {
        static let method = Method.delete
        static let path = "/auth/me"

        let services: Services
        let options: Options
        let bearer: BearerUser

        func answer(_ request: Request) async throws(Failure) -> Response {
            let authenticated = try await bearer.authenticate(request, for: .change)
            let caller = Caller(request)
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                if !options.deletesInOldSessions {
                    try await services.accounts.requireRecentSignIn(
                        of: authenticated.userID, session: authenticated.sessionID, caller: caller)
                }
                try await services.accounts.delete(
                    authenticated.userID, from: authenticated.sessionID, caller: caller)
            }
            return .empty(.noContent)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Delete the account", security: [BearerUser.scheme],
                responses: [.empty(.noContent, "The account is gone and all sessions are over."), Failure.recentSignInDocumented]
                    + BearerUser.refusals)
        }
    }
}
