/// What is asked of another server.
package struct OutboundRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package let method: Method
    /// Absolute, `https` (RFC 9110 §4.2.2); `http` to this machine only. Without credentials.
    package let url: String
    /// Names and values as they are sent. `Content-Type` is the caller's to give when there is a body.
    package let fields: [(name: String, value: String)]
    /// Sent with `POST` only.
    package let body: [UInt8]
    /// Whether nothing is asked of a host whose address is not public: for URLs that strangers have given us. A proxy decides by itself.
    package let isForPublicHosts: Bool

    package init(
        _ method: Method, _ url: String, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
        isForPublicHosts: Bool = false
    ) {
        self.isForPublicHosts = isForPublicHosts
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }
}
