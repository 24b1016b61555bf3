import HTTP
import Identity
import Routing
import Text

extension AppAPI {
    /// `POST /auth/login`: signs a user in by e-mail address and password. With `"rotate": true` the session
    /// gives a new refresh token at each refresh.
    struct Login: Endpoint {
        static let method = Method.post
        static let path = "/auth/login"
        static let accepts = AcceptedContent.json

        let services: Services

        func answer(_ request: Request) async throws(Failure) -> Response {
            var body = try JSONBody(request)
            let email = body.fields.string("email")
            let password = body.fields.string("password").map { SecretString($0) }
            let rotates = body.fields.optionalBool("rotate") ?? false
            let issues = body.issues + Accounts.objections(signInEmail: email, password: password).map { Issue($0) }
            guard issues.isEmpty, let email, let password else { throw .invalidInput(issues) }
            let (authentication, tokens) = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                let caller = Caller(request)
                let authentication = try await services.accounts.authenticate(
                    password: SignInAttempt(.email(email), passwords: [password]), client: services.app, caller: caller
                ).completed()
                let tokens = try await services.sessions.begin(
                    authentication, for: services.app, refresh: rotates ? .rotating : .static, caller: caller)
                return (authentication, tokens)
            }
            guard let settings = authentication.settings else {
                return try await AuthResponse.make(.ok, authentication.user, tokens, services)
            }
            return AuthResponse.make(.ok, authentication.user, settings, tokens)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Sign a user in by e-mail address and password",
                body: .required(
                    .object([.required("email", .email), .required("password", .password), .optional("rotate", rotate)])),
                responses: [
                    .json(.ok, "The user is signed in.", AuthResponse.schema), Failure.invalidInputDocumented,
                    Failure.documented(
                        .unauthorized, "Invalid email or password", "Unknown address, wrong password or disabled account."),
                    Failure.limitedDocumented,
                ])
        }

        static let rotate = Schema.boolean.orNull.described("Whether the refresh token changes with each use.")
    }
}
