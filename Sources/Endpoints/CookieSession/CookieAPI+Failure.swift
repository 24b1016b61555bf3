import HTTP
import Identity
import Routing
import Text

extension CookieAPI {
    /// What went wrong, in this API's words: `{"error": "<code>"}`. It never redirects: the client would
    /// follow, and take the page at the end for success.
    enum Failure: APIFailure {
        case invalidRequest
        /// The request may come from a page of another site.
        case crossSite
        /// No session cookie came.
        case unauthenticated
        /// The cookie is none, or its session is over.
        case sessionExpired
        case identity(IdentityError)
        case request(RequestFailure)

        /// - Parameter deletion: the cookie that takes the client's away, sent where it is of no use any more.
        func response(_ deletion: SetCookie) -> Response {
            switch self {
            case .invalidRequest: Self.response(.badRequest, "invalid_request")
            case .crossSite: Self.response(.forbidden, "csrf_failed")
            case .unauthenticated: Self.refusal("unauthenticated", deletion)
            case .sessionExpired: Self.refusal("session_expired", deletion)
            case .identity(let error): Self.response(to: error, deletion)
            case .request(let failure): Self.response(failure.status, Self.code(of: failure))
            }
        }

        private static func response(to error: IdentityError, _ deletion: SetCookie) -> Response {
            switch error {
            case .credentials, .user(.invalidInput): refusal("invalid_credentials", nil)
            case .session(.notFound): response(.notFound, "not_found")
            case .session, .user(.notFound): refusal("session_expired", deletion)
            case .service(let failure): response(to: failure)
            case .user, .code, .federation, .client: response(to: ServiceFailure.internalFault)
            }
        }

        private static func response(to failure: ServiceFailure) -> Response {
            let code =
                switch failure {
                case .tooManyRequests: "too_many_requests"
                case .unavailable, .overloaded: "unavailable"
                case .internalFault: "internal_error"
                }
            return response(failure.status, code, fields: failure.fields)
        }

        private static func code(of failure: RequestFailure) -> String {
            switch failure {
            case .notFound: "not_found"
            case .methodNotAllowed: "method_not_allowed"
            case .unsupportedMediaType: "unsupported_media_type"
            case .payloadTooLarge: "payload_too_large"
            case .malformed: "invalid_request"
            case .timeout: "timeout"
            case .unavailable: "unavailable"
            case .internalError: "internal_error"
            }
        }

        /// A 401. Its challenge (RFC 9110 §15.5.2) is none that URLSession would act on.
        private static func refusal(_ code: String, _ deletion: SetCookie?) -> Response {
            var fields = ResponseFields.notStored.appending("WWW-Authenticate", "Session realm=\"kidoban\"")
            if let deletion { fields.append(deletion) }
            return response(.unauthorized, code, fields: fields)
        }

        private static func response(_ status: Status, _ code: String, fields: ResponseFields = .notStored) -> Response {
            var writer = JSONWriter(capacity: 64)
            writer.beginObject()
            writer.member("error", code)
            writer.endObject()
            return .json(status, writer, fields: fields)
        }

        static let documentation = RouteGroupDocumentation(
            "The cookie session, for apps that leave cookies to their HTTP library and for web pages.", failure: schema)

        private static let schema = Routing.Schema.object([.required("error", .string)]).named("CookieError")

        static func documented(_ status: Status, _ code: String, _ meaning: String) -> DocumentedResponse {
            .json(status, meaning, schema, example: ["error": .string(code)])
        }

        static let invalidRequestDocumented = documented(
            .badRequest, "invalid_request", "The body is malformed, or a field is missing or not of its kind.")

        static let limitedDocumented = DocumentedResponse.json(
            .tooManyRequests, "A budget is used up; nothing was looked at.", schema, example: ["error": "too_many_requests"],
            fields: LimitFields.documented)

        static let crossSiteDocumented = documented(
            .forbidden, "csrf_failed", "The request may come from a page of another site, or a form lacks its token.")
    }
}
