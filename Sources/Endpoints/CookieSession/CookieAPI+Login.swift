import HTTP
import Identity
import Routing
import Text

extension CookieAPI {
    /// `POST /login`: signs a user in by e-mail address and password, always with a new cookie; the session of the one that came along
    /// ends. The cross-site rules hold here too, or another site could sign its visitor in as
    /// somebody else.
    struct Login: Endpoint {
        static let method = Method.post
        static let path = "/login"
        static let accepts = AcceptedContent.jsonOrForm

        let gate: Gate

        func answer(_ request: Request) async throws(Failure) -> Response {
            _ = try gate.verdict(request)
            let fields = try Fields(request)
            let (email, password) = (try fields.text("email"), SecretString(try fields.text("password")))
            let isRemembered = try fields.flag("remember")
            let terms = gate.policy.terms(isRemembered: isRemembered, replacing: gate.cookie(of: request))
            let (user, session) = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                let (caller, app) = (Caller(request), gate.services.app)
                let authentication = try await gate.services.accounts.authenticate(
                    password: SignInAttempt(.email(email), passwords: [password]), client: app, caller: caller
                ).completed()
                let session = try await gate.services.sessions.beginWithCookie(
                    authentication, for: app, terms: terms, caller: caller)
                return (authentication.user, session)
            }
            return Answer.make(gate.policy.cookie(session, isRemembered: isRemembered)) { writer in
                Answer.write(user, to: &writer)
                Answer.write(session, to: &writer)
            }
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Sign a user in by e-mail address and password",
                body: .required(
                    .object([
                        .required("email", .string), .required("password", .password),
                        .optional(
                            "remember", .any.described("Whether the cookie outlives the app: `1` in a form, `true` in JSON.")),
                    ])),
                responses: [
                    .json(
                        .ok, "The user is signed in.",
                        Answer.schema([
                            .required("user", Answer.userSchema), .required("session", Answer.sessionSchema),
                        ]), fields: [("Set-Cookie", "The session cookie.")]),
                    Failure.invalidRequestDocumented, Failure.crossSiteDocumented,
                    Failure.documented(
                        .unauthorized, "invalid_credentials", "Unknown address, wrong password or disabled account."),
                    Failure.limitedDocumented,
                ])
        }
    }
}
