import HTTP
import Identity
import Routing

extension CookieAPI {
    /// `DELETE /session/{id}`: signs one of the user's devices out, whichever API it came through, this one included.
    struct EndSession: Endpoint {
        static let method = Method.delete
        static let path = "/session/{id}"

        let gate: Gate

        func answer(_ request: Request) async throws(Failure) -> Response {
            let current = try await gate.session(changing: request, Fields.none).session
            guard let id = request.pathParameters.first.flatMap({ SessionID($0) }) else { throw .identity(.sessionNotFound) }
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await gate.services.sessions.signOut(id, of: current.userID, from: current.id, caller: Caller(request))
            }
            return id == current.id ? Answer.done(gate.policy.deletion) : Answer.done
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Sign one of the user's devices out", security: [Gate.scheme],
                parameters: [.path("id", .string, "Of the session.")],
                responses: [
                    .json(
                        .ok, "The session is over.", Answer.doneSchema,
                        fields: [("Set-Cookie", "Takes the session cookie away, if it was this session's.")]),
                    Failure.documented(
                        .notFound, "not_found", "The user has no such session, or it was ended more than a minute ago."),
                    Failure.crossSiteDocumented,
                ] + Gate.refusals)
        }
    }
}
