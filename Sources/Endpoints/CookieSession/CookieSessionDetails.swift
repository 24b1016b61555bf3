import HTTP
import Identity
import Routing
import Text

/// `GET /session`: whose session it is, how long it lasts, and the token that its pages' forms send along (cookie session contract
/// §2, §4.4 d).
struct CookieSessionDetails: CookieEndpoint {
    static let method = Method.get
    static let path = "/session"

    let gate: CookieGate

    func answer(_ request: Request) async throws(CookieError) -> Response {
        let session = try await gate.session(of: request)
        let user = try await CookieError.translating { () throws(IdentityError) in
            try await gate.services.accounts.user(session.session.userID)
        }
        return CookieAnswer.make { writer in
            CookieAnswer.write(user, to: &writer)
            CookieAnswer.write(session, to: &writer)
            writer.member("csrf_token", session.formToken.text.revealedText)
        }
    }
}

extension CookieSessionDetails {
    static var documentation: RouteDocumentation {
        RouteDocumentation(
            "Ask whose session it is", security: [CookieGate.scheme],
            responses: [
                .json(
                    .ok, "The user, the session, and the token that a form of a web page sends along.",
                    CookieAnswer.schema([
                        .required("user", CookieAnswer.userSchema), .required("session", CookieAnswer.sessionSchema),
                        .required("csrf_token", .string),
                    ]))
            ] + CookieGate.refusals)
    }
}
