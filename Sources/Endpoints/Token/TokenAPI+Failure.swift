import HTTP
import Identity
import Routing
import Text

extension TokenAPI {
    /// What went wrong, in the words of FastAPI: `{"detail": …}`, a text or, where the body was refused, a list.
    enum Failure: APIFailure {
        /// Everything that is wrong with the body.
        case invalid([ValidationItem])
        /// The body is not even text.
        case unreadableBody
        /// No bearer token came (RFC 6750 §3.1: the challenge then has no error code).
        case notAuthenticated
        case identity(IdentityError)
        case request(RequestFailure)

        var response: Response {
            switch self {
            case .invalid(let items): Self.response(to: items)
            case .unreadableBody: Self.response(.badRequest, "There was an error parsing the body")
            case .notAuthenticated: Self.refusal("Not authenticated")
            case .identity(let error): Self.response(to: error)
            case .request(let failure): Self.response(failure.status, failure.status.reasonPhrase.description)
            }
        }

        private static func response(to error: IdentityError) -> Response {
            switch error {
            case .credentials, .user(.invalidInput): refusal("Incorrect email address or password")
            case .session, .user(.notFound):
                refusal("Invalid authentication credentials", challenge: "Bearer error=\"invalid_token\"")
            case .service(let failure): response(to: failure)
            case .user, .code, .federation, .client: response(to: ServiceFailure.internalFault)
            }
        }

        private static func response(to failure: ServiceFailure) -> Response {
            response(failure.status, failure.status.reasonPhrase.description, fields: failure.fields)
        }

        private static func response(to items: [ValidationItem]) -> Response {
            var writer = JSONWriter(capacity: 256)
            writer.beginObject()
            writer.key("detail")
            writer.beginArray()
            for item in items { item.write(to: &writer) }
            writer.endArray()
            writer.endObject()
            return .json(.unprocessableContent, writer, fields: .notStored)
        }

        /// A 401, which never goes without a challenge (RFC 9110 §15.5.2).
        private static func refusal(_ text: String, challenge: String = "Bearer") -> Response {
            response(.unauthorized, text, fields: ResponseFields.notStored.appending("WWW-Authenticate", challenge))
        }

        private static func response(_ status: Status, _ text: String, fields: ResponseFields = .notStored) -> Response {
            var writer = JSONWriter(capacity: 64)
            writer.beginObject()
            writer.member("detail", text)
            writer.endObject()
            return .json(status, writer, fields: fields)
        }

        static let documentation = RouteGroupDocumentation(
            "The token resource, for apps that talked to FastAPI: one URL, three verbs.", failure: schema)

        private static let schema = Routing.Schema.object([.required("detail", .string)]).named("TokenError")

        private static let validationSchema = Routing.Schema.object([
            .required("detail", .oneOrMore(of: ValidationItem.schema))
        ]).named("TokenValidationError")

        /// One of the API's texts, as the documentation of a route lists it.
        static func documented(_ status: Status, _ text: String, _ meaning: String) -> DocumentedResponse {
            .json(status, meaning, schema, example: ["detail": .string(text)])
        }

        static let invalidDocumented = DocumentedResponse.json(
            .unprocessableContent, "The body is no JSON, or a field is missing or no text.", validationSchema)

        static let limitedDocumented = DocumentedResponse.json(
            .tooManyRequests, "A budget is used up; nothing was looked at.", schema, example: ["detail": "Too Many Requests"],
            fields: LimitFields.documented)

        static let bearerRefusals = [
            documented(.unauthorized, "Not authenticated", "No bearer token came."),
            documented(
                .unauthorized, "Invalid authentication credentials", "The token is not good, or not of the kind that is due."),
        ]
    }
}
