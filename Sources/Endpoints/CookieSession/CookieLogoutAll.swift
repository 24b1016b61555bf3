import HTTP
import Identity
import Routing

/// `POST /logout-all`: ends the user's sessions on all devices, whichever API they came through. With `keep_current` this one stays.
struct CookieLogoutAll: CookieEndpoint {
    static let method = Method.post
    static let path = "/logout-all"
    static let accepts = AcceptedContent.jsonOrForm

    let gate: CookieGate

    func answer(_ request: Request) async throws(CookieError) -> Response {
        let fields = try CookieFields(request)
        let current = try await gate.session(changing: request, fields).session
        let keepsCurrent = try fields.flag("keep_current")
        try await CookieError.translating { () throws(IdentityError) in
            try await gate.services.sessions.signOutEverywhere(
                current.userID, from: current.id, keepingIt: keepsCurrent, caller: Caller(request))
        }
        return keepsCurrent ? CookieAnswer.done : CookieAnswer.done(gate.policy.deletion)
    }
}

extension CookieLogoutAll {
    static var documentation: RouteDocumentation {
        RouteDocumentation(
            "Sign the user out everywhere", security: [CookieGate.scheme],
            body: .optional(
                .object([
                    .optional("keep_current", .any.described("Whether this session stays: `1` in a form, `true` in JSON.")),
                    CookieAnswer.formToken,
                ])),
            responses: [
                .json(
                    .ok, "The sessions are over.", CookieAnswer.doneSchema,
                    fields: [("Set-Cookie", "Takes the session cookie away, unless the session stays.")]),
                CookieError.invalidRequestDocumented, CookieError.crossSiteDocumented,
            ] + CookieGate.refusals)
    }
}
