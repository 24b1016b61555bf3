import HTTP
import Identity
import Text

/// What went wrong, in the app API's words: `{"error": "<text>"}`, and `details` where input was refused.
enum AppError: Error {
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
        case .invalidInput(let problems): response(.badRequest, "Invalid input", details: problems.map { Issue($0) })
        case .emailTaken: response(.badRequest, "Email already exists")
        case .usernameTaken: response(.badRequest, "Username already exists")
        case .emailNotVerified: response(.forbidden, "Email not verified")
        case .invalidCode: response(.badRequest, "Invalid code")
        case .invalidCredentials, .userDisabled: refusal("Invalid email or password")
        case .invalidToken, .invalidClient, .clientNotPermitted: refusedToken
        case .invalidRefreshToken: refusal("Invalid refresh token")
        case .invalidProof, .unknownProvider: refusal("Invalid OAuth token")
        case .emailNeedsLinking: response(.badRequest, "Email already exists with different provider")
        case .identityTaken: response(.conflict, "Already linked to another account")
        case .lastSignInMethod: response(.conflict, "Cannot remove the last sign-in method")
        case .recentSignInRequired: response(.forbidden, "Recent sign-in required")
        case .identityNotFound: response(.notFound, "Identity not found")
        case .userNotFound: response(.notFound, "User not found")
        case .sessionNotFound: response(.notFound, "Session not found")
        case .tooManyRequests(let delay): response(.tooManyRequests, "Too many requests", fields: .retry(after: delay))
        case .unavailable(let delay), .overloaded(let delay):
            response(.serviceUnavailable, "Service unavailable", fields: .retry(after: delay))
        case .internalFault: response(.internalServerError, "Internal server error")
        }
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
}

/// Runs a rule; its error becomes the API's.
func deciding<T>(_ rule: () async throws(IdentityError) -> T) async throws(AppError) -> T {
    do throws(IdentityError) {
        return try await rule()
    } catch {
        throw .identity(error)
    }
}
