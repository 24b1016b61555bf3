import HTTP
import Identity
import Routing
import Text

extension CookieAPI {
    /// `GET /session`: whose session it is, how long it lasts, and the token that its pages' forms send along.
    struct SessionDetails: Endpoint {
        static let method = Method.get
        static let path = "/session"

        let gate: Gate

        func answer(_ request: Request) async throws(Failure) -> Response {
            let session = try await gate.session(of: request)
            let user = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await gate.services.accounts.user(session.session.userID)
            }
            return Answer.make { writer in
                Answer.write(user, to: &writer)
                Answer.write(session, to: &writer)
                writer.member("csrf_token", session.formToken.text.revealedText)
            }
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Ask whose session it is", security: [Gate.scheme],
                responses: [
                    .json(
                        .ok, "The user, the session, and the token that a form of a web page sends along.",
                        Answer.schema([
                            .required("user", Answer.userSchema), .required("session", Answer.sessionSchema),
                            .required("csrf_token", .string),
                        ]))
                ] + Gate.refusals)
        }
    }
}
