import HTTP
import Identity
import Routing

extension CookieAPI {
    /// `POST /logout`: ends the session and takes the cookie away. Without a session there is nothing to end, which is success too.
    struct Logout: Endpoint {
        static let method = Method.post
        static let path = "/logout"
        static let accepts = AcceptedContent.jsonOrForm

        let gate: Gate

        func answer(_ request: Request) async throws(Failure) -> Response {
            let verdict = try gate.verdict(request)
            let fields = try Fields(request)
            guard let cookie = gate.cookie(of: request) else { return Answer.done(gate.policy.deletion) }
            let sessions = gate.services.sessions
            do throws(Failure) {
                let session = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                    try await sessions.session(of: cookie, use: .session, slides: false)
                }
                try gate.check(request, fields, verdict, session)
            } catch .identity(.invalidToken) {
                // Over; whoever ended it may not have got to the end, though.
            }
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await sessions.signOut(cookie, use: .session, caller: Caller(request))
            }
            return Answer.done(gate.policy.deletion)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Sign the user out on this device", security: [Gate.scheme, .none],
                body: .optional(.object([Answer.formToken])),
                responses: [
                    .json(
                        .ok, "The session is over, if there was one.", Answer.doneSchema,
                        fields: [("Set-Cookie", "Takes the session cookie away.")]),
                    Failure.invalidRequestDocumented, Failure.crossSiteDocumented,
                ])
        }
    }
}
