/// Where a request goes.
package enum RouteMatch: Sendable {
    case found(Destination)
    /// No endpoint takes it; the API, if any, whose part of the tree it came closest to words the answer.
    case refused(RequestFailure, api: RouteGroup?)

    /// An endpoint and what it needs to know from the path.
    package struct Destination: Sendable {
        package let route: Route
        package let api: RouteGroup
        /// The place of the route in `Router.routes`, for counters.
        package let index: Int
        /// Decoded, in the order of the pattern.
        package let pathParameters: [String]
    }
}
