import HTTP
import Identity

/// `DELETE /auth/sessions/{id}`: signs one of the user's devices out, this one included.
struct EndSession: AppEndpoint {
    static let method = Method.delete
    static let path = "/auth/sessions/{id}"

    let services: Services
    let bearer: BearerUser

    func answer(_ request: Request) async throws(AppError) -> Response {
        let authenticated = try await bearer.authenticate(request)
        guard let id = request.pathParameters.first.flatMap({ SessionID($0) }) else { throw .identity(.sessionNotFound) }
        let reason = id == authenticated.sessionID ? SessionEnd.signedOut : .revoked
        try await deciding { () throws(IdentityError) in
            try await services.sessions.end(id, of: authenticated.userID, reason: reason, caller: Caller(request))
        }
        return .empty(.noContent)
    }
}

extension EndSession {
    static var documentation: RouteDocumentation {
        RouteDocumentation(
            "Sign one of the user's devices out", security: [BearerUser.scheme],
            parameters: [.path("id", .string, "Of the session.")],
            responses: [
                .empty(.noContent, "The session is over."), AppError.documented(.notFound, "Session not found"),
            ] + BearerUser.refusals)
    }
}
