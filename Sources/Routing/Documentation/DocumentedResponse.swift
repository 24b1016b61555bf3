package import HTTP
package import Text

/// An answer that a route can give. `Retry-After` and `WWW-Authenticate`, which the status asks for, go without saying.
package struct DocumentedResponse: Sendable {
    package let status: Status
    /// When it is given.
    package let meaning: String
    /// Nil for an answer without a body.
    package let content: Content?
    /// Fields of interest, and what they say.
    package let fields: [(name: String, meaning: String)]

    package struct Content: Sendable {
        /// Without parameters.
        package let type: String
        package let schema: Schema
        package let example: JSONValue?

        package init(type: String, schema: Schema, example: JSONValue?) {
            self.type = type
            self.schema = schema
            self.example = example
        }
    }

    package init(_ status: Status, _ meaning: String, content: Content?, fields: [(name: String, meaning: String)] = []) {
        self.status = status
        self.meaning = meaning
        self.content = content
        self.fields = fields
    }

    package static func json(
        _ status: Status, _ meaning: String, _ schema: Schema, example: JSONValue? = nil,
        fields: [(name: String, meaning: String)] = []
    ) -> DocumentedResponse {
        DocumentedResponse(
            status, meaning, content: Content(type: "application/json", schema: schema, example: example), fields: fields)
    }

    package static func text(_ status: Status, _ meaning: String, type: String = "text/plain") -> DocumentedResponse {
        DocumentedResponse(status, meaning, content: Content(type: type, schema: .string, example: nil))
    }

    package static func empty(
        _ status: Status, _ meaning: String, fields: [(name: String, meaning: String)] = []
    ) -> DocumentedResponse {
        DocumentedResponse(status, meaning, content: nil, fields: fields)
    }
}
