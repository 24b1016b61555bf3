import HTTP
import Identity
import Routing

extension TokenAPI {
    /// `POST /auth/token`: signs a user in by e-mail address and password; each call begins a new session.
    ///
    /// The address is not checked for its form: a malformed one is a failed sign-in like any other.
    struct Obtain: Endpoint {
        static let method = Method.post
        static let accepts = AcceptedContent.any

        let services: Services

        func answer(_ request: Request) async throws(Failure) -> Response {
            let credentials = try SentCredentials(request)
            do throws(IdentityError) {
                let caller = Caller(request)
                let attempt = SignInAttempt(.email(credentials.email), passwords: [credentials.password])
                let authentication = try await services.accounts.authenticate(
                    password: attempt, client: services.app, caller: caller
                ).completed()
                let terms = GrantTerms(leeway: Times.leeway)
                return Answer.make(
                    try await services.sessions.begin(authentication, for: services.app, terms: terms, caller: caller))
            } catch .user(.invalidInput) {
                throw .identity(.invalidCredentials)
            } catch {
                throw .identity(error)
            }
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Sign a user in by e-mail address and password",
                body: .required(.object([.required("email_address", .string), .required("password", .password)])),
                responses: [
                    .json(.ok, "The tokens of a new session.", Answer.schema),
                    Failure.documented(.badRequest, "There was an error parsing the body", "The body is not UTF-8."),
                    Failure.documented(
                        .unauthorized, "Incorrect email address or password",
                        "Unknown address, wrong password or disabled account."),
                    Failure.invalidDocumented, Failure.limitedDocumented,
                ])
        }
    }
}
