import HTTP
import Routing
import Text

/// This API's errors as its routes document them.
extension CookieError {
    static let documentation = RouteGroupDocumentation(
        "The cookie session, for apps that leave cookies to their HTTP library and for web pages.", failure: schema)

    private static let schema = Schema.object([.required("error", .string)]).named("CookieError")

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

extension CookieGate {
    static let scheme = SecurityScheme.cookie(
        "session", cookie: "sid", "The session cookie; where the issuer is reached by https its name is `__Host-sid`.")

    /// What any route that asks for a session can answer.
    static let refusals = [
        CookieError.documented(.unauthorized, "unauthenticated", "There is no session cookie."),
        CookieError.documented(.unauthorized, "session_expired", "The session is over, or the cookie was never good."),
    ]
}

extension CookieAnswer {
    static let doneSchema = Schema.object([.required("status", .constant("ok"))])

    static let userSchema = Schema.object([
        .required("id", .uuid), .required("email", .email), .required("email_verified", .boolean), .optional("name", .string),
        .optional("photo_url", .url),
    ]).named("CookieUser")

    static let sessionSchema = Schema.object([
        .required("expires_at", .integer.described("When it ends at the latest, in seconds since 1970.")),
        .required("idle_expires_at", .integer.described("When it ends unless it is used.")),
    ]).named("CookieSession")

    static func schema(_ members: [Schema.Member]) -> Schema {
        .object([.required("status", .constant("ok"))] + members)
    }

    static let formToken = Schema.Member.optional(
        "csrf_token", .string.described("Of the session; a form of a web page must have it, here or as `X-CSRF-Token`."))
}
