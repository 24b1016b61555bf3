import HTTP
import Identity
import Routing
import Text

extension AppAPI {
    /// What went wrong, in the app API's words: `{"error": "<text>"}`, and `details` where input was refused.
    enum Failure: APIFailure {
        case malformedJSON
        case invalidInput([Issue])
        case refreshTokenRequired
        /// A body that names no identity, or none that could be proved.
        case providerRequired
        case unauthorized(UnauthorizedReason)
        /// A refresh token whose account has been deleted.
        case unknownUser
        case identity(IdentityError)
        case request(RequestFailure)

        enum UnauthorizedReason {
            /// No token came (RFC 6750 §3.1: the challenge then has no error code).
            case noToken
            case invalidToken
        }

        var response: Response {
            switch self {
            case .malformedJSON: Self.response(.badRequest, "Invalid input")
            case .invalidInput(let issues): Self.response(.badRequest, "Invalid input", details: issues)
            case .refreshTokenRequired: Self.response(.badRequest, "Refresh token required")
            case .providerRequired: Self.response(.badRequest, "OAuth provider and ID are required")
            case .unauthorized(.noToken): Self.refusal("Unauthorized")
            case .unauthorized(.invalidToken): Self.refusedToken
            case .unknownUser: Self.refusal("User not found")
            case .identity(let error): Self.response(to: error)
            case .request(let failure): Self.response(to: failure)
            }
        }

        private static func response(to error: IdentityError) -> Response {
            switch error {
            case .user(let error): response(to: error)
            case .credentials(.emailNotVerified): response(.forbidden, "Email not verified")
            case .credentials: refusal("Invalid email or password")
            case .session(let error): response(to: error)
            case .code: response(.badRequest, "Invalid code")
            case .federation(let error): response(to: error)
            case .client: refusedToken
            case .service(let failure): response(to: failure)
            }
        }

        private static func response(to error: UserError) -> Response {
            switch error {
            case .invalidInput(let problems): response(.badRequest, "Invalid input", details: problems.map { Issue($0) })
            case .emailTaken: response(.badRequest, "Email already exists")
            case .usernameTaken: response(.badRequest, "Username already exists")
            case .phoneNumberTaken: response(.badRequest, "Phone number already exists")
            case .notFound: response(.notFound, "User not found")
            }
        }

        private static func response(to error: SessionError) -> Response {
            switch error {
            case .invalidAccessToken: refusedToken
            case .invalidRefreshToken: refusal("Invalid refresh token")
            case .notFound: response(.notFound, "Session not found")
            case .recentSignInRequired: response(.forbidden, "Recent sign-in required")
            }
        }

        private static func response(to error: FederationError) -> Response {
            switch error {
            case .invalidProviderToken, .unknownProvider: refusal("Invalid OAuth token")
            case .emailNeedsLinking: response(.badRequest, "Email already exists with different provider")
            case .identityTaken: response(.conflict, "Already linked to another account")
            case .identityNotFound: response(.notFound, "Identity not found")
            case .lastSignInMethod: response(.conflict, "Cannot remove the last sign-in method")
            }
        }

        private static func response(to failure: ServiceFailure) -> Response {
            let text =
                switch failure {
                case .tooManyRequests: "Too many requests"
                case .unavailable, .overloaded: "Service unavailable"
                case .internalFault: "Internal server error"
                }
            return response(failure.status, text, fields: failure.fields)
        }

        private static func response(to failure: RequestFailure) -> Response {
            let text =
                switch failure {
                case .notFound: "Not found"
                case .methodNotAllowed: "Method not allowed"
                case .unsupportedMediaType: "Unsupported media type"
                case .payloadTooLarge: "Payload too large"
                case .malformed(let error): "Bad request: \(error.reason)"
                case .timeout: "Request timeout"
                case .unavailable: "Service unavailable"
                case .internalError: "Internal server error"
                }
            return response(failure.status, text)
        }

        private static let refusedToken = refusal("Unauthorized", challenge: "Bearer realm=\"kidoban\", error=\"invalid_token\"")

        /// A 401, which never goes without a challenge (RFC 9110 §15.5.2).
        private static func refusal(_ text: String, challenge: String = "Bearer realm=\"kidoban\"") -> Response {
            response(.unauthorized, text, fields: ResponseFields.notStored.appending("WWW-Authenticate", challenge))
        }

        private static func response(
            _ status: Status, _ text: String, details: [Issue] = [], fields: ResponseFields = .notStored
        ) -> Response {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("error", text)
            if !details.isEmpty {
                writer.key("details")
                writer.beginArray()
                for issue in details { issue.write(to: &writer) }
                writer.endArray()
            }
            writer.endObject()
            return .appJSON(status, writer, fields: fields)
        }

        static let documentation = RouteGroupDocumentation(
            "The app API, for the team's own app: sign-up, sign-in and everything that comes after, in JSON.", failure: schema)

        private static let schema = Routing.Schema.object([
            .required("error", .string), .optional("details", .oneOrMore(of: Issue.schema)),
        ]).named("AppError")

        /// One of the API's texts, as the documentation of a route lists it.
        static func documented(_ status: Status, _ text: String, _ meaning: String? = nil) -> DocumentedResponse {
            .json(status, meaning ?? "\(text).", schema, example: ["error": .string(text)])
        }

        /// The body is no JSON, or `details` tell which fields are wrong.
        static let invalidInputDocumented = documented(
            .badRequest, "Invalid input", "The body is no JSON, or `details` say which fields are wrong.")

        static let limitedDocumented = DocumentedResponse.json(
            .tooManyRequests, "A budget is used up; nothing was looked at.", schema, example: ["error": "Too many requests"],
            fields: LimitFields.documented)

        static let invalidCodeDocumented = documented(
            .badRequest, "Invalid code", "The code is none, or no longer one: used, too old, or replaced by that of a newer mail."
        )

        static let recentSignInDocumented = documented(
            .forbidden, "Recent sign-in required",
            "The session's sign-in was longer ago than `KIDOBAN_RECENT_SIGN_IN`. A new sign-in gives a session that may.")

        static let tokenRequiredDocumented = documented(
            .badRequest, "Refresh token required", "`refreshToken` is missing, `null` or empty.")
    }
}
