package import HTTP

/// The endpoints that speak one client protocol, and how that protocol says what went wrong before an endpoint was reached.
package final class RouteGroup: Sendable {
    /// The head is missing when none could be read.
    package typealias FailureRenderer = @Sendable (RequestFailure, RequestHead?) -> Response

    package let name: String
    /// What the patterns of all routes start with: empty, or segments such as `/api/v1`.
    package let prefix: String
    package let routes: [Route]
    package let failure: FailureRenderer
    private let makeDocumentation: @Sendable () -> RouteGroupDocumentation

    /// - Parameter documentation: evaluated only when somebody asks for it.
    package init(
        name: String, prefix: String = "", routes: [Route],
        documentation: @escaping @Sendable @autoclosure () -> RouteGroupDocumentation, failure: @escaping FailureRenderer
    ) {
        self.name = name
        self.prefix = prefix
        self.routes = routes
        self.failure = failure
        makeDocumentation = documentation
    }

    /// Made anew each time.
    package var documentation: RouteGroupDocumentation { makeDocumentation() }
}
