import HTTP
import Identity
import Routing

extension AppAPI {
    /// `DELETE /auth/sessions`: signs the user out everywhere, whichever API the sessions came through; with `?keep=current` everywhere
    /// else.
    struct EndSessions: Endpoint {
        static let method = Method.delete
        static let path = "/auth/sessions"
        /// A client that asks for `/auth/sessions/{id}` with an empty id must not end them all.
        static let hasOptionalSlash = false

        let services: Services
        let bearer: BearerUser

        func answer(_ request: Request) async throws(Failure) -> Response {
            let authenticated = try await bearer.authenticate(request, for: .signOut)
            let keepsCurrent = try Self.keepsCurrent(request)
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.sessions.signOutEverywhere(
                    authenticated.userID, from: authenticated.sessionID, keepingIt: keepsCurrent, caller: Caller(request))
            }
            return .empty(.noContent)
        }

        private static func keepsCurrent(_ request: Request) throws(Failure) -> Bool {
            guard let query = try? FormFields(parsing: request.head.queryBytes) else { throw .malformedJSON }
            guard let keep = query.value("keep") else { return false }
            guard keep == "current" else { throw .invalidInput([.notAllowed(keep, options: ["current"], path: ["keep"])]) }
            return true
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Sign the user out everywhere", security: [BearerUser.scheme],
                parameters: [
                    .query("keep", .choice(["current"]), "Whether the session that asks stays.")
                ],
                responses: [
                    .empty(.noContent, "The sessions are over."),
                    Failure.documented(.badRequest, "Invalid input", "`keep` is something else."),
                ] + BearerUser.refusals)
        }
    }
}
