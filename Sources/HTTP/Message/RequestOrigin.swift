package import Networking

/// Where a request comes from.
package struct RequestOrigin: Sendable {
    /// The address of the other end of the connection, which may be a proxy; empty if it has none.
    package let peer: String
    /// Who the connection was made for: `peer`, unless a trusted proxy has said otherwise before the first request.
    private let source: String
    /// Who asks, if a trusted proxy says so in this request. Made into text only for who wants to know.
    private let forwarded: IPAddress?

    package init(peer: String, source: String? = nil, forwarded: IPAddress? = nil) {
        self.peer = peer
        self.source = source ?? peer
        self.forwarded = forwarded
    }

    /// The address of who asks, as far as trusted proxies tell; `peer` otherwise.
    package var client: String { forwarded?.description ?? source }
}
