package import HTTP
package import Logging

/// One endpoint: a method, a path and what answers them. A reference, so that passing it on costs nothing.
package final class Route: Sendable {
    package typealias Handler = RequestMatch.Handler

    package let method: Method
    /// The path behind the API's prefix, such as `/sessions/{id}`. A `{name}` stands for one whole segment; all
    /// else, a slash at the end included, is matched byte for byte against the raw path.
    package let pattern: String
    package let accepts: AcceptedContent
    package let handler: Handler
    /// At which level its answers below 500 are logged; the busiest routes say less.
    package let logLevel: LogLevel
    /// Whether a slash at the end of the path makes no difference: with and without it are the same then, however the pattern is
    /// written, and neither is redirected.
    package let hasOptionalSlash: Bool
    /// Bytes that a body may have, if that is more than others may have.
    package let bodyLimit: Int?
    private let makeDocumentation: @Sendable () -> RouteDocumentation

    /// - Parameter documentation: evaluated only when somebody asks for it.
    package init(
        _ method: Method, _ pattern: String, accepts: AcceptedContent = .none, logLevel: LogLevel = .info,
        hasOptionalSlash: Bool = false, bodyLimit: Int? = nil,
        documentation: @escaping @Sendable @autoclosure () -> RouteDocumentation, handler: @escaping Handler
    ) {
        self.method = method
        self.pattern = pattern
        self.accepts = accepts
        self.handler = handler
        self.hasOptionalSlash = hasOptionalSlash
        self.logLevel = logLevel
        self.bodyLimit = bodyLimit
        makeDocumentation = documentation
    }

    /// Made anew each time.
    package var documentation: RouteDocumentation { makeDocumentation() }
}

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
