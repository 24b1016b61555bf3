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
