import HTTP

extension ResponseFields {
    /// For every answer that carries a token or speaks of one (RFC 6749 §5.1).
    static let notStored: ResponseFields = ["Cache-Control": "no-store", "Pragma": "no-cache"]

    /// `Retry-After` in whole seconds, at least one (RFC 9110 §10.2.3).
    static func retry(after delay: Duration) -> ResponseFields {
        notStored.appending("Retry-After", String(max(1, delay.components.seconds)))
    }
}
