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
