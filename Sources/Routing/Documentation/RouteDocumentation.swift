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
