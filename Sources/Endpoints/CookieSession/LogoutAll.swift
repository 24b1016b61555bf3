import HTTP
import Identity
import Routing

extension CookieAPI {
    /// `POST /logout-all`: ends the user's sessions on all devices, whichever API they came through. With `keep_current` this one stays.
    struct LogoutAll: Endpoint {
        static let method = Method.post
        static let path = "/logout-all"
        static let accepts = AcceptedContent.jsonOrForm

        let gate: Gate

        func answer(_ request: Request) async throws(Failure) -> Response {
            let fields = try Fields(request)
            let current = try await gate.session(changing: request, fields).session
            let keepsCurrent = try fields.flag("keep_current")
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await gate.services.sessions.signOutEverywhere(
                    current.userID, from: current.id, keepingIt: keepsCurrent, caller: Caller(request))
            }
            return keepsCurrent ? Answer.done : Answer.done(gate.policy.deletion)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Sign the user out everywhere", security: [Gate.scheme],
                body: .optional(
                    .object([
                        .optional("keep_current", .any.described("Whether this session stays: `1` in a form, `true` in JSON.")),
                        Answer.formToken,
                    ])),
                responses: [
                    .json(
                        .ok, "The sessions are over.", Answer.doneSchema,
                        fields: [("Set-Cookie", "Takes the session cookie away, unless the session stays.")]),
                    Failure.invalidRequestDocumented, Failure.crossSiteDocumented,
                ] + Gate.refusals)
        }
    }
}
