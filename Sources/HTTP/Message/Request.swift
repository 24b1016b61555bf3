/// A whole request as a handler gets it.
package struct Request: Sendable {
    package let head: RequestHead
    package let body: [UInt8]
    /// What stood for the `{…}` segments of the route, decoded, in their order.
    package let pathParameters: [String]
    /// The address of the other end of the connection.
    package let peer: String
    /// The name of this request in logs, audit events and its response.
    package let id: String

    package init(head: RequestHead, body: [UInt8], pathParameters: [String], peer: String, id: String) {
        self.head = head
        self.body = body
        self.pathParameters = pathParameters
        self.peer = peer
        self.id = id
    }
}
