import HTTP
import Identity
import Routing

/// `POST /logout`: ends the session and takes the cookie away. Without a session there is nothing to end, which is success too (cookie
/// session contract §2).
struct CookieLogout: CookieEndpoint {
    static let method = Method.post
    static let path = "/logout"
    static let accepts = AcceptedContent.jsonOrForm

    let gate: CookieGate

    func answer(_ request: Request) async throws(CookieError) -> Response {
        let verdict = try gate.verdict(request)
        let fields = try CookieFields(request)
        guard let cookie = gate.cookie(of: request) else { return CookieAnswer.done(gate.policy.deletion) }
        let sessions = gate.services.sessions
        do throws(CookieError) {
            let session = try await CookieError.translating { () throws(IdentityError) in
                try await sessions.session(of: cookie, use: .session, slides: false)
            }
            try gate.check(request, fields, verdict, session)
        } catch .identity(.invalidToken) {
            // Over; whoever ended it may not have got to the end, though.
        }
        try await CookieError.translating { () throws(IdentityError) in
            try await sessions.signOut(cookie, use: .session, caller: Caller(request))
        }
        return CookieAnswer.done(gate.policy.deletion)
    }
}

extension CookieLogout {
    static var documentation: RouteDocumentation {
        RouteDocumentation(
            "Sign the user out on this device", security: [CookieGate.scheme, .none],
            body: .optional(.object([CookieAnswer.formToken])),
            responses: [
                .json(
                    .ok, "The session is over, if there was one.", CookieAnswer.doneSchema,
                    fields: [("Set-Cookie", "Takes the session cookie away.")]),
                CookieError.invalidRequestDocumented, CookieError.crossSiteDocumented,
            ])
    }
}
