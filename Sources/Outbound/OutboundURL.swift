import CCurl

/// A URL that may be asked: `https`, or `http` to this very machine, and without credentials.
struct OutboundURL: Sendable {
    /// As libcurl writes it.
    let text: String
    let isLoopback: Bool
    /// In lower case.
    let host: String
    private let origin: [String]

    /// - Throws: `invalidRequest`.
    init(_ text: String) throws(OutboundError) {
        guard let url = CurlURL() else { throw .connection("out of memory") }
        guard url.set(CURLUPART_URL, text, CURLU_DISALLOW_USER), let text = url[CURLUPART_URL],
            let scheme = url[CURLUPART_SCHEME],
            let host = url[CURLUPART_HOST]?.lowercased(), let port = url[CURLUPART_PORT, CURLU_DEFAULT_PORT]
        else { throw .invalidRequest }
        self.text = text
        isLoopback = url.isLoopback
        self.host = host
        origin = [scheme, host, port]
        guard scheme == "https" || scheme == "http" && isLoopback else { throw .invalidRequest }
    }

    /// Scheme, host and port are the same (RFC 6454 §4).
    func hasSameOrigin(as other: OutboundURL) -> Bool {
        origin == other.origin
    }
}
