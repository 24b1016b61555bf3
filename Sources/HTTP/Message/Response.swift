package import Text

/// What a handler answers. The serialiser adds what every response has: length, date, request id and connection handling.
package struct Response: Sendable {
    package var status: Status
    /// The value of `Content-Type`; `nil` when there is no body.
    package var contentType: StaticString?
    /// Further fields.
    package var fields: ResponseFields
    package var body: [UInt8]
    /// Whether many answers have these very bytes, so that they cost memory once.
    package var isBodyShared = false
    /// Goes on behind the body for as long as the connection lasts; the answer has no length then.
    package var endlessBody: (any EndlessBody)?

    package init(
        _ status: Status, contentType: StaticString? = nil, fields: ResponseFields = [:], body: [UInt8] = []
    ) {
        self.status = status
        self.contentType = contentType
        self.fields = fields
        self.body = body
    }

    package static func empty(_ status: Status, fields: ResponseFields = [:]) -> Response {
        Response(status, fields: fields)
    }

    package static func text(_ status: Status, _ text: String, fields: ResponseFields = [:]) -> Response {
        Response(status, contentType: "text/plain; charset=utf-8", fields: fields, body: [UInt8](text.utf8))
    }

    /// A body that is JSON already.
    package static func json(_ status: Status, _ body: [UInt8], fields: ResponseFields = [:]) -> Response {
        Response(status, contentType: "application/json", fields: fields, body: body)
    }

    /// The same answer, with a body that its owner keeps for others, too.
    package var sharingBody: Response {
        var copy = self
        copy.isBodyShared = true
        return copy
    }

    package static func json(_ status: Status, _ writer: JSONWriter, fields: ResponseFields = [:]) -> Response {
        json(status, writer.bytes, fields: fields)
    }
}
