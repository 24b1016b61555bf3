import HTTP
import Routing
import Text

/// This API's errors as its routes document them.
extension TokenError {
    static let documentation = RouteGroupDocumentation(
        "The token resource, for apps that talked to FastAPI: one URL, three verbs.", failure: schema)

    private static let schema = Schema.object([.required("detail", .string)]).named("TokenError")

    private static let validationSchema = Schema.object([
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
        documented(.unauthorized, "Invalid authentication credentials", "The token is not good, or not of the kind that is due."),
    ]
}
