import HTTP
import Routing
import Text

/// This API's errors as its routes document them.
extension AppError {
    static let documentation = RouteGroupDocumentation(
        "The app API, for the team's own app: sign-up, sign-in and everything that comes after, in JSON.", failure: schema)

    private static let schema = Schema.object([
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
        .badRequest, "Invalid code", "The code is none, or no longer one: used, too old, or replaced by that of a newer mail.")

    static let recentSignInDocumented = documented(
        .forbidden, "Recent sign-in required",
        "The session's sign-in was longer ago than `KIDOBAN_RECENT_SIGN_IN`. A new sign-in gives a session that may.")

    static let tokenRequiredDocumented = documented(
        .badRequest, "Refresh token required", "`refreshToken` is missing, `null` or empty.")
}

extension BearerUser {
    static let scheme = SecurityScheme.accessToken

    /// What any route that asks for an access token can answer.
    static let refusals = [
        AppError.documented(.unauthorized, "Unauthorized", "There is no access token, or one that is not good."),
        AppError.documented(.notFound, "User not found", "The user of the token has been deleted."),
    ]
}
