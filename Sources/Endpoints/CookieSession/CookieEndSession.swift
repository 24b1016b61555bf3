import HTTP
import Identity
import Routing

/// `DELETE /session/{id}`: signs one of the user's devices out, whichever API it came through, this one included.
struct CookieEndSession: CookieEndpoint {
    static let method = Method.delete
    static let path = "/session/{id}"

    let gate: CookieGate

    func answer(_ request: Request) async throws(CookieError) -> Response {
        let current = try await gate.session(changing: request, CookieFields.none).session
        guard let id = request.pathParameters.first.flatMap({ SessionID($0) }) else { throw .identity(.sessionNotFound) }
        try await CookieError.translating { () throws(IdentityError) in
            try await gate.services.sessions.end(
                id, of: current.userID, reason: id == current.id ? .signedOut : .revoked, caller: Caller(request))
        }
        return id == current.id ? CookieAnswer.done(gate.policy.deletion) : CookieAnswer.done
    }
}

extension CookieEndSession {
    static var documentation: RouteDocumentation {
        RouteDocumentation(
            "Sign one of the user's devices out", security: [CookieGate.scheme],
            parameters: [.path("id", .string, "Of the session.")],
            responses: [
                .json(
                    .ok, "The session is over.", CookieAnswer.doneSchema,
                    fields: [("Set-Cookie", "Takes the session cookie away, if it was this session's.")]),
                CookieError.documented(
                    .notFound, "not_found", "The user has no such session, or it was ended more than a minute ago."),
                CookieError.crossSiteDocumented,
            ] + CookieGate.refusals)
    }
}
