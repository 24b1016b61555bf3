import HTTP
import Identity
import Routing
import Text

/// This API's errors as its routes document them.
extension RestAuthError {
    static let documentation = RouteGroupDocumentation(
        "For apps whose back end was django-rest-auth or dj-rest-auth.", failure: detail)

    private static let detail = Routing.Schema.object([
        .required("detail", .string), .optional("non_field_errors", .oneOrMore(of: .string)),
    ]).named("RestAuthDetail")

    private static let fields = Routing.Schema.dictionary(of: .oneOrMore(of: .string)).named("RestAuthFieldErrors")

    /// Each field with its sentences, in the language of `Accept-Language`.
    static func fieldsDocumented(_ meaning: String = "What is wrong with which field.") -> DocumentedResponse {
        .json(.badRequest, meaning, .anyOf([fields, detail]), example: ["email": ["Enter a valid email address."]])
    }

    static func documented(_ status: Status, _ meaning: String) -> DocumentedResponse { .json(status, meaning, detail) }

    /// One sentence that says that it is done.
    static func done(_ text: String, _ status: Status = .ok) -> DocumentedResponse {
        .json(status, "\(text)", detail, example: ["detail": .string(text)])
    }

    static let limitedDocumented = DocumentedResponse.json(
        .tooManyRequests, "A budget is used up; nothing was looked at.", detail,
        example: [
            "detail": "Request was throttled. Expected available in 42 seconds.",
            "non_field_errors": ["Request was throttled. Expected available in 42 seconds."],
        ], fields: LimitFields.documented)

    static let crossSiteDocumented = documented(.forbidden, "A page of another site asks.")
}

extension RestAuthCaller {
    static func schemes(_ options: RestAuthOptions) -> [SecurityScheme] {
        var schemes = [
            SecurityScheme.header("restAuthKey", field: "Authorization", "`Token` and the key; `JWT` or `Bearer` and a JWT."),
            SecurityScheme.cookie("restAuthSession", cookie: RestAuthCookies.session, "What a sign-in sets."),
        ]
        if options.tokens == .jwt, !options.tokenCookies.access.isEmpty {
            schemes.append(.cookie("restAuthToken", cookie: options.tokenCookies.access, "The access token."))
        }
        return schemes
    }

    /// What any route that asks whose a request is can answer.
    static let refusals: [DocumentedResponse] = [
        .json(
            .unauthorized, "No token, or one that is not good.",
            .object([
                .required("detail", .string), .optional("code", .string), .optional("messages", .array(of: .any)),
            ]).named("RestAuthRefusal")), RestAuthError.crossSiteDocumented,
    ]
}

extension RestAuthSignIn {
    static let schema = Routing.Schema.anyOf([
        .object([.required("key", .string(matching: "^[0-9a-f]{40}$"))]),
        .object([.required("token", .string), .required("user", RestAuthUserObject.schema)]),
        .object([
            .required("access", .string), .required("refresh", .string), .required("user", RestAuthUserObject.schema),
            .optional("access_expiration", .time), .optional("refresh_expiration", .time),
        ]),
    ]).named("RestAuthSignIn")
}
