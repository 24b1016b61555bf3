import HTTP
import Identity
import Routing
import Text

extension OpenID {
    /// What went wrong, as clients are told: `{"error": "<code>", "error_description": "<text>"}` (RFC 6749 §5.2).
    struct Failure: APIFailure {
        let status: Status
        let code: String
        /// ASCII without quotes and backslashes (RFC 6749 §5.2).
        let description: String
        var fields: ResponseFields
        /// The name of the next step (draft-ietf-oauth-first-party-apps).
        var authorizationSession: SecretString?

        init(_ status: Status, _ code: String, _ description: String, fields: ResponseFields = .notStored) {
            self.status = status
            self.code = code
            self.description = description
            self.fields = fields
        }

        var response: Response {
            var writer = JSONWriter(capacity: 128)
            writer.beginObject()
            writer.member("error", code)
            writer.member("error_description", description)
            if let authorizationSession { writer.member("auth_session", authorizationSession.revealedText) }
            writer.endObject()
            return .json(status, writer, fields: fields)
        }

        /// Whether a good client gets it all the same: a device that waits for its user, a first proof without our nonce, an outage.
        var isNobodysFault: Bool {
            status.code >= 500 || ["authorization_pending", "use_dpop_nonce"].contains(code)
        }

        func adding(_ name: StaticString, _ value: String) -> Failure {
            var copy = self
            copy.fields.append(name, value)
            return copy
        }

        static func invalidRequest(_ description: String) -> Failure { Failure(.badRequest, "invalid_request", description) }

        static func invalidGrant(_ description: String) -> Failure { Failure(.badRequest, "invalid_grant", description) }

        static func invalidScope(_ description: String) -> Failure { Failure(.badRequest, "invalid_scope", description) }

        static let invalidClient = Failure(
            .unauthorized, "invalid_client", "the client is not known or did not prove itself",
            fields: ResponseFields.notStored.appending("WWW-Authenticate", "Basic realm=\"kidoban\""))
        static let unauthorizedClient = Failure(.badRequest, "unauthorized_client", "the client may not use this grant")
        static let unsupportedGrantType = Failure(.badRequest, "unsupported_grant_type", "there is no such grant type")
        static let invalidTarget = Failure(
            .badRequest, "invalid_target", "the client may not ask for tokens for this resource")
        static let serverError = Failure(.internalServerError, "server_error", "something went wrong")
        /// The refresh token, the code, the session or the user is no more.
        static let grantIsVoid = invalidGrant("the grant is not valid or has expired")

        init(_ error: IdentityError) {
            switch error {
            case .client(.invalid): self = .invalidClient
            case .client(.notPermitted): self = .unauthorizedClient
            case .service(.tooManyRequests(let delay)):
                self = Failure(.tooManyRequests, "slow_down", "too many requests", fields: .retry(after: delay))
            case .service(.unavailable(let delay)), .service(.overloaded(let delay)):
                self = Failure(
                    .serviceUnavailable, "temporarily_unavailable", "try again in a moment", fields: .retry(after: delay))
            case .session, .credentials, .user(.notFound), .federation(.invalidProviderToken): self = .grantIsVoid
            case .client(.idTaken), .user, .code, .federation, .service(.internalFault): self = .serverError
            }
        }

        static func identity(_ error: IdentityError) -> Failure { Failure(error) }

        init(_ refusal: AuthorizationRefusal) {
            self.init(.badRequest, refusal.code.rawValue, refusal.description)
        }

        init(_ failure: RequestFailure) {
            let code =
                switch failure {
                case .notFound, .methodNotAllowed, .unsupportedMediaType, .payloadTooLarge, .malformed, .timeout:
                    "invalid_request"
                case .unavailable: "temporarily_unavailable"
                case .internalError: "server_error"
                }
            self.init(failure.status, code, failure.reason.description)
        }

        static let documentation = RouteGroupDocumentation(
            "What clients use to sign users in and to get tokens (OAuth 2.0, OpenID Connect).", failure: schema)

        private static let schema = Routing.Schema.object([
            .required("error", .string), .required("error_description", .string), .optional("auth_session", .string),
        ]).named("OpenIDError")

        static func documented(_ status: Status, _ meaning: String) -> DocumentedResponse {
            .json(status, meaning, schema)
        }

        static let clientDocumented = documented(
            .unauthorized, "`invalid_client`: The client is not known or did not prove itself.")
        static let limitedDocumented = documented(.tooManyRequests, "`slow_down`: Too many requests.")
    }
}
