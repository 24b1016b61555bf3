import HTTP

extension ResponseFields {
    /// For every answer that carries a token or speaks of one (RFC 6749 §5.1).
    static let notStored: ResponseFields = ["Cache-Control": "no-store", "Pragma": "no-cache"]

    static func retry(after delay: Duration) -> ResponseFields {
        notStored.appending("Retry-After", String(delay.retrySeconds))
    }
}
