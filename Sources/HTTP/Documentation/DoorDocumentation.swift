/// What the routes of a door have in common.
package struct DoorDocumentation: Sendable {
    /// For whom the door is, in a sentence.
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

    /// For a door whose failures are a line of text.
    package static func plainText(_ summary: String) -> DoorDocumentation {
        DoorDocumentation(summary, failure: .string, failureType: "text/plain")
    }
}
