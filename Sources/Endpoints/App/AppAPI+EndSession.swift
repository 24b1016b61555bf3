import HTTP
import Identity
import Routing

extension AppAPI {
    /// `DELETE /auth/sessions/{id}`: signs one of the user's devices out, this one included. Repeated, also at once, it is answered alike for
    /// at least a minute.
    struct EndSession: Endpoint {
        static let method = Method.delete
        static let path = "/auth/sessions/{id}"

        let services: Services
        let bearer: BearerUser

        func answer(_ request: Request) async throws(Failure) -> Response {
            let id = request.pathParameters.first.flatMap { SessionID($0) }
            let authenticated: AuthenticatedUser
            switch try await bearer.signingOut(request) {
            case .user(let user): authenticated = user
            case .nobody(let ended):
                guard id == ended else { throw .identity(.invalidToken) }
                return .empty(.noContent)
            }
            guard let id else { throw .identity(.sessionNotFound) }
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.sessions.signOut(
                    id, of: authenticated.userID, from: authenticated.sessionID, caller: Caller(request))
            }
            return .empty(.noContent)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Sign one of the user's devices out", security: [BearerUser.scheme],
                parameters: [.path("id", .string, "Of the session.")],
                responses: [
                    .empty(.noContent, "The session is over."),
                    Failure.documented(.notFound, "Session not found", "There is none, or it was ended more than a minute ago."),
                ] + BearerUser.refusals)
        }
    }
}
