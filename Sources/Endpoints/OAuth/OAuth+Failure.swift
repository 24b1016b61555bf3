import HTTP
import Identity
import Routing
import Text

extension OAuth {
    /// What went wrong, in OAuth's words: `{"error": "<code>", "error_description": "<text>"}` (RFC 6749 §5.2).
    enum Failure: Error {
        case invalidRequest(StaticString)
        /// Unknown client, wrong secret, or none at all (always 401 with a challenge, RFC 9110 §15.5.2).
        case invalidClient
        /// The client is known, but not for this.
        case unauthorizedClient
        /// Another client's token (RFC 7009 §2.1).
        case invalidGrant
        /// A store is away: the token may still be good (RFC 7009 §2.2.1), and no guess is made.
        case unavailable(retryAfter: Duration)
        /// `slow_down` (RFC 8628 §3.5) is the one registered code that says what to do; `temporarily_unavailable` would blame the server.
        case slowDown(retryAfter: Duration)
        case serverError
        case request(RequestFailure)

        init(_ error: IdentityError) {
            switch error {
            case .client(.invalid): self = .invalidClient
            case .client(.notPermitted): self = .unauthorizedClient
            case .session, .user(.notFound): self = .invalidGrant
            case .service(.tooManyRequests(let delay)): self = .slowDown(retryAfter: delay)
            case .service(.unavailable(let delay)), .service(.overloaded(let delay)): self = .unavailable(retryAfter: delay)
            case .service(.internalFault), .client(.idTaken), .user, .credentials, .code, .federation: self = .serverError
            }
        }

        /// Whether we have failed, and not the client.
        var isOurs: Bool {
            switch self {
            case .unavailable, .serverError: true
            case .request(let failure): failure.status.code >= 500
            case .invalidRequest, .invalidClient, .unauthorizedClient, .invalidGrant, .slowDown: false
            }
        }

        var response: Response {
            switch self {
            case .invalidRequest(let description): Self.response(.badRequest, "invalid_request", description)
            case .invalidClient:
                Self.response(
                    .unauthorized, "invalid_client", "the client is not known or did not prove itself",
                    fields: ResponseFields.notStored.appending("WWW-Authenticate", "Basic realm=\"kidoban\""))
            case .unauthorizedClient: Self.response(.forbidden, "unauthorized_client", "the client may not do this")
            case .invalidGrant: Self.response(.badRequest, "invalid_grant", "the token was issued to another client")
            case .unavailable(let delay):
                Self.response(
                    .serviceUnavailable, "temporarily_unavailable", "try again in a moment", fields: .retry(after: delay))
            case .slowDown(let delay):
                Self.response(.tooManyRequests, "slow_down", "too many requests", fields: .retry(after: delay))
            case .serverError: Self.response(.internalServerError, "server_error", "something went wrong")
            case .request(let failure): Self.response(failure.status, Self.code(of: failure), failure.reason)
            }
        }

        private static func code(of failure: RequestFailure) -> StaticString {
            switch failure {
            case .notFound, .methodNotAllowed, .unsupportedMediaType, .payloadTooLarge, .malformed, .timeout: "invalid_request"
            case .unavailable: "temporarily_unavailable"
            case .internalError: "server_error"
            }
        }

        private static func response(
            _ status: Status, _ code: StaticString, _ description: StaticString, fields: ResponseFields = .notStored
        ) -> Response {
            var writer = JSONWriter(capacity: 128)
            writer.beginObject()
            writer.member("error", code.description)
            writer.member("error_description", description.description)
            writer.endObject()
            return .json(status, writer, fields: fields)
        }

        static let documentation = RouteGroupDocumentation(
            "What backends ask of tokens, in the words of OAuth 2.0.", failure: schema)

        private static let schema = Routing.Schema.object([
            .required("error", .string), .required("error_description", .string),
        ]).named("OAuthError")

        static func documented(_ status: Status, _ code: String, _ meaning: String) -> DocumentedResponse {
            .json(status, "`\(code)`: \(meaning)", schema)
        }

        static let invalidRequestDocumented = documented(
            .badRequest, "invalid_request", "`token` is missing, or a parameter is repeated or in the address.")

        static let invalidClientDocumented = documented(
            .unauthorized, "invalid_client", "The client is not known or did not prove itself.")

        static let slowDownDocumented = documented(
            .tooManyRequests, "slow_down", "Too many requests named clients that do not exist.")
    }
}
