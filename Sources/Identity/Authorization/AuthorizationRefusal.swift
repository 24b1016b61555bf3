import Text

/// Why an authorization request is refused (RFC 6749 §4.1.2.1, OpenID Connect Core 1.0 §3.1.2.6, RFC 8707 §2).
package struct AuthorizationRefusal: Error, Equatable, Sendable {
    /// The raw values are those of the wire.
    package enum Code: String, Sendable {
        case invalidRequest = "invalid_request"
        case unauthorizedClient = "unauthorized_client"
        case accessDenied = "access_denied"
        case unsupportedResponseType = "unsupported_response_type"
        case invalidScope = "invalid_scope"
        case loginRequired = "login_required"
        case consentRequired = "consent_required"
        case invalidRequestURI = "invalid_request_uri"
        case requestNotSupported = "request_not_supported"
        case requestURINotSupported = "request_uri_not_supported"
        case registrationNotSupported = "registration_not_supported"
        case invalidTarget = "invalid_target"
    }

    package let code: Code
    /// For the developer: ASCII without `"` and `\` (RFC 6749 §4.1.2.1).
    package let description: String
    /// The parameter that is wrong; for `kidoban explain authorize`.
    package let parameter: String?

    package init(_ code: Code, _ description: String, parameter: String? = nil) {
        self.code = code
        self.description = description
        self.parameter = parameter
    }
}
