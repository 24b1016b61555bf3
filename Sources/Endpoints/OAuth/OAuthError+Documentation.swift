import HTTP
import Routing
import Text

/// This API's errors as its routes document them.
extension OAuthError {
    static let documentation = RouteGroupDocumentation("What backends ask of tokens, in the words of OAuth 2.0.", failure: schema)

    private static let schema = Schema.object([
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
        .tooManyRequests, "slow_down", "Too many clients are named that there are not.")
}

extension ClientAuthentication {
    static let basic = SecurityScheme.basic(
        "client", "The id and the secret of a client; both may also be in the form as `client_id` and `client_secret`.")
}
