package import Networking
import Text

/// A whole request as a handler gets it.
package struct Request: Sendable {
    package let head: RequestHead
    package let body: [UInt8]
    /// What stood for the `{…}` segments of the route, decoded, in their order.
    package let pathParameters: [String]
    package let origin: RequestOrigin
    /// The name of this request in logs, audit events and its response.
    package let id: String
    /// Where fields for the answer are gathered, if the route's handler has put something there.
    package var notes: ResponseNotes?

    package init(head: RequestHead, body: [UInt8], pathParameters: [String], origin: RequestOrigin, id: String) {
        self.head = head
        self.body = body
        self.pathParameters = pathParameters
        self.origin = origin
        self.id = id
    }
}

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

/// Fields that a request gathers on its way, for whatever answer it gets. Confined to its connection's loop.
package final class ResponseNotes: @unchecked Sendable {  // set and read on its own loop only
    package var fields: ResponseFields = [:]

    package init() {}
}

extension RequestHead: UnprintedContent {
    package var description: String {
        "\(method.name) \(path)"
    }
}

extension Request: UnprintedContent {
    package var description: String {
        "\(head) (\(id))"
    }
}
