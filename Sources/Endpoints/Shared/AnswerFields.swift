import HTTP
import Routing

extension ResponseFields {
    /// For every answer that carries a token or speaks of one (RFC 6749 §5.1).
    static let notStored: ResponseFields = ["Cache-Control": "no-store", "Pragma": "no-cache"]

    static func retry(after delay: Duration) -> ResponseFields {
        notStored.appending("Retry-After", String(delay.retrySeconds))
    }
}

extension SecurityScheme {
    /// How the documentation names the access token of a session, whichever API gave it out: it is good at each of them.
    static let accessToken = SecurityScheme.bearer("accessToken", "The access token of a session.")
}
