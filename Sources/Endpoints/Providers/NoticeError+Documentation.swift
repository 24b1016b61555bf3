import HTTP
import Routing
import Text

/// This API's errors as its routes document them.
extension NoticeError {
    static let documentation = RouteGroupDocumentation(
        "What identity providers tell of our users' accounts with them.", failure: schema)

    private static let schema = Schema.object([
        .required("err", .string), .required("description", .string),
    ]).named("NoticeError")

    static let refused = DocumentedResponse.json(
        .badRequest,
        "`invalid_request`, `invalid_key`, `invalid_issuer` or `invalid_audience` (RFC 8935 §2.4): the token proves nothing here.",
        schema)

    static let notConfigured = DocumentedResponse.json(.notFound, "`invalid_request`: the provider is not configured.", schema)
}
