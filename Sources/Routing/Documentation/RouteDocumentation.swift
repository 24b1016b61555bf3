package import HTTP
package import Text

/// What a client developer has to know of a route: an operation of the OpenAPI document. The method, the path and the content types
/// of the body are the route's own, and what can go wrong before an endpoint is reached is its API's: they are not repeated here.
package struct RouteDocumentation: Sendable {
    package let summary: String
    /// Further sentences, in Markdown.
    package var details: String?
    /// The ways to authenticate, any one of which is enough; none for a route that is open to everybody.
    package let security: [SecurityScheme]
    /// Those of the path, in its order, then fields and the query.
    package let parameters: [DocumentedParameter]
    package let body: DocumentedBody?
    /// Several of the same status become one with the texts of all.
    package let responses: [DocumentedResponse]

    package init(
        _ summary: String, details: String? = nil, security: [SecurityScheme] = [], parameters: [DocumentedParameter] = [],
        body: DocumentedBody? = nil, responses: [DocumentedResponse]
    ) {
        self.summary = summary
        self.details = details
        self.security = security
        self.parameters = parameters
        self.body = body
        self.responses = responses
    }

    /// For a second path to the same endpoint.
    package func alias(of pattern: String) -> RouteDocumentation {
        var copy = self
        copy.details = "The same as `\(pattern)`." + (details.map { " " + $0 } ?? "")
        return copy
    }
}

/// The body of a request. Its content types are those that the route accepts.
package struct DocumentedBody: Sendable {
    package let schema: Schema
    package let isRequired: Bool

    package static func required(_ schema: Schema) -> DocumentedBody { DocumentedBody(schema: schema, isRequired: true) }

    package static func optional(_ schema: Schema) -> DocumentedBody { DocumentedBody(schema: schema, isRequired: false) }
}

/// A parameter outside the body.
package struct DocumentedParameter: Sendable {
    package enum Place: String, Sendable {
        case path, query, header, cookie
    }

    package let place: Place
    package let name: String
    package let schema: Schema
    package let meaning: String

    /// Stands for `{name}` in the pattern.
    package static func path(_ name: String, _ schema: Schema, _ meaning: String) -> DocumentedParameter {
        DocumentedParameter(place: .path, name: name, schema: schema, meaning: meaning)
    }

    package static func query(_ name: String, _ schema: Schema, _ meaning: String) -> DocumentedParameter {
        DocumentedParameter(place: .query, name: name, schema: schema, meaning: meaning)
    }

    package static func header(_ name: String, _ schema: Schema, _ meaning: String) -> DocumentedParameter {
        DocumentedParameter(place: .header, name: name, schema: schema, meaning: meaning)
    }
}

/// What the routes of an API have in common.
package struct RouteGroupDocumentation: Sendable {
    /// For whom the API is, in a sentence.
    package let summary: String
    /// The body of the answer to a request that reaches no endpoint, and of 500 and 503.
    package let failure: Schema
    /// Its content type, without parameters.
    package let failureType: String

    package init(_ summary: String, failure: Schema, failureType: String = "application/json") {
        self.summary = summary
        self.failure = failure
        self.failureType = failureType
    }

    /// For an API whose failures are a line of text.
    package static func plainText(_ summary: String) -> RouteGroupDocumentation {
        RouteGroupDocumentation(summary, failure: .string, failureType: "text/plain")
    }
}

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
