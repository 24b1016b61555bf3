import HTTP
import Identity
import Routing
import Text

extension IdentityToolkit {
    /// What went wrong, in the words of the Identity Toolkit: a code, often with a text behind ` : `.
    struct Failure: APIFailure {
        let status: Status
        let message: String
        var reason = "invalid"
        /// What the one entry of `errors` says, where it is not the message.
        var entry: String?
        /// Of what the request brought along, where Google's front end and not the API has refused it.
        var isAboutCredentials = false
        /// The name of the status in errors of Google's newer kind.
        var name: String?
        var retryAfter: Duration?

        init(_ code: String, _ detail: String? = nil) {
            self.init(.badRequest, detail.map { "\(code) : \($0)" } ?? code)
        }

        private init(_ status: Status, _ message: String, name: String? = nil) {
            self.status = status
            self.message = message
            self.name = name
        }

        static let malformed: Failure = {
            var failure = argument("Invalid JSON payload received.")
            failure.reason = "parseError"
            return failure
        }()

        static func argument(_ message: String) -> Failure { Failure(.badRequest, message, name: "INVALID_ARGUMENT") }

        /// What Firebase knows and neither its emulator nor this server does: whoever asks for it would else take it for done.
        static func notImplemented(_ message: String) -> Failure {
            var failure = Failure(.notImplemented, message, name: "NOT_IMPLEMENTED")
            failure.reason = "unimplemented"
            return failure
        }

        static func permission(_ message: String) -> Failure {
            var failure = Failure(.forbidden, message, name: "PERMISSION_DENIED")
            failure.reason = "forbidden"
            return failure
        }

        static let invalidKey: Failure = {
            var failure = argument("API key not valid. Please pass a valid API key.")
            failure.reason = "keyInvalid"
            return failure
        }()

        private static let expectedCredential =
            "Expected OAuth 2 access token, login cookie or other valid authentication credential. "
            + "See https://developers.google.com/identity/sign-in/web/devconsole-project."

        static let loginRequired: Failure = {
            var failure = Failure(
                .unauthorized, "Request is missing required authentication credential. \(expectedCredential)",
                name: "UNAUTHENTICATED")
            (failure.reason, failure.entry, failure.isAboutCredentials) = ("required", "Login Required.", true)
            return failure
        }()

        static let invalidCredentials: Failure = {
            var failure = Failure(
                .unauthorized, "Request had invalid authentication credentials. \(expectedCredential)", name: "UNAUTHENTICATED")
            (failure.reason, failure.entry, failure.isAboutCredentials) = ("authError", "Invalid Credentials", true)
            return failure
        }()

        static func identity(_ error: IdentityError) -> Failure { Failure(error) }

        /// What Identity refuses, where no endpoint has better words.
        init(_ error: IdentityError) {
            switch error {
            case .user(.invalidInput(let problems)):
                self = problems.first.map { Failure($0) } ?? Failure("INVALID_ARGUMENT")
            case .user(.emailTaken): self.init("EMAIL_EXISTS")
            case .user(.usernameTaken): self.init("DUPLICATE_LOCAL_ID")
            case .user(.phoneNumberTaken): self.init("PHONE_NUMBER_EXISTS")
            case .user(.notFound): self.init("USER_NOT_FOUND")
            case .credentials(.invalid): self.init("INVALID_LOGIN_CREDENTIALS")
            case .credentials(.userDisabled): self.init("USER_DISABLED")
            case .credentials(.emailNotVerified): self.init("UNVERIFIED_EMAIL")
            case .session(.invalidAccessToken): self.init("INVALID_ID_TOKEN")
            // Its ID token was good a moment ago.
            case .session(.notFound): self.init("TOKEN_EXPIRED")
            case .session(.invalidRefreshToken): self.init("INVALID_REFRESH_TOKEN")
            case .session(.recentSignInRequired): self.init("CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
            case .code: self.init("INVALID_OOB_CODE")
            case .federation(let error): self.init(error)
            case .client: self.init("OPERATION_NOT_ALLOWED")
            case .service(let failure): self.init(failure)
            }
        }

        private init(_ error: FederationError) {
            switch error {
            case .invalidProviderToken:
                self.init("INVALID_IDP_RESPONSE", "The supplied auth credential is malformed or has expired.")
            case .unknownProvider: self.init("OPERATION_NOT_ALLOWED", "The identity provider configuration is not found.")
            case .emailNeedsLinking: self.init("EMAIL_EXISTS")
            case .identityTaken: self.init("FEDERATED_USER_ID_ALREADY_LINKED")
            case .identityNotFound: self.init("INVALID_PROVIDER_ID")
            case .lastSignInMethod: self.init("OPERATION_NOT_ALLOWED", "Nothing would be left to sign in with.")
            }
        }

        private init(_ failure: ServiceFailure) {
            switch failure {
            case .tooManyRequests: self.init("TOO_MANY_ATTEMPTS_TRY_LATER", "Try again later.")
            case .unavailable, .overloaded:
                self.init(.serviceUnavailable, "The service is currently unavailable.", name: "UNAVAILABLE")
                reason = "backendError"
            case .internalFault: self = .internalError
            }
            retryAfter = failure.retryAfter
        }

        private init(_ problem: InputProblem) {
            switch (problem.field, problem.reason) {
            case (.email, .missing): self.init("MISSING_EMAIL")
            case (.email, _): self.init("INVALID_EMAIL")
            case (.password, .tooShort(let minimum)):
                self.init("WEAK_PASSWORD", "Password should be at least \(minimum) characters")
            case (.password, .missing): self.init("MISSING_PASSWORD")
            case (.password, _): self.init("WEAK_PASSWORD", "Password is too long, or too easy to guess")
            case (.photoURL, _): self.init("INVALID_PHOTO_URL")
            case (.displayName, _): self.init("INVALID_DISPLAY_NAME")
            case (.username, _), (.firstName, _), (.lastName, _): self.init("INVALID_ARGUMENT")
            }
        }

        private static let internalError: Failure = {
            var failure = Failure(.internalServerError, "Internal error encountered.", name: "INTERNAL")
            failure.reason = "backendError"
            return failure
        }()

        init(_ failure: RequestFailure) {
            switch failure {
            case .notFound:
                self.init(.notFound, "Not Found", name: "NOT_FOUND")
                reason = "notFound"
            case .unavailable(let delay): self.init(IdentityError.unavailable(retryAfter: delay))
            case .internalError: self = .internalError
            case .methodNotAllowed, .unsupportedMediaType, .payloadTooLarge, .malformed, .timeout:
                self.init(failure.status, "\(failure.reason)", name: "INVALID_ARGUMENT")
            }
        }

        var response: Response {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("error")
            writer.beginObject()
            writer.member("code", Int64(status.code))
            writer.member("message", message)
            writer.key("errors")
            writer.beginArray()
            writer.beginObject()
            writer.member("message", entry ?? message)
            writer.member("domain", "global")
            writer.member("reason", reason)
            if isAboutCredentials {
                writer.member("location", "Authorization")
                writer.member("locationType", "header")
            }
            writer.endObject()
            writer.endArray()
            if let name { writer.member("status", name) }
            writer.endObject()
            writer.endObject()
            var fields = retryAfter.map { ResponseFields.retry(after: $0) } ?? .notStored
            if status == .unauthorized { fields.append("WWW-Authenticate", "Bearer realm=\"kidoban\"") }
            return .json(status, writer, fields: fields)
        }

        static let schema = Routing.Schema.object([
            .required(
                "error",
                .object([
                    .required("code", .integer), .required("message", .string.described("`CODE` or `CODE : text`.")),
                    .required("errors", .array(of: .any)), .optional("status", .string),
                ]))
        ]).named("IdentityToolkitError")

        static let documented: [DocumentedResponse] = [
            .json(.badRequest, "What is wrong.", schema), .json(.unauthorized, "Not an administrator's token.", schema),
            .json(.forbidden, "Neither key nor token.", schema),
        ]
    }
}
