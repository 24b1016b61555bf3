package import Logging

/// What answers the requests of a server. The server knows no route: it asks where a head leads before it reads the body, and hands the
/// whole request to what it was told.
package protocol RequestHandler: AnyObject, Sendable {
    /// What the metrics call the routes. `RequestMatch.Destination.route` is a place in this list.
    var routeNames: [RequestMetrics.RouteName] { get }

    /// Where a request goes, by its head.
    func match(_ head: RequestHead) -> RequestMatch

    /// The path of a request as a log may tell it: a path may hold a secret.
    func template(of head: RequestHead) -> String

    /// The answer to a failure.
    /// - Parameters:
    ///   - group: the one that words the answer (`RequestMatch.group`).
    ///   - head: nil when none could be read.
    func response(to failure: RequestFailure, in group: Int?, head: RequestHead?) -> Response
}

/// Where a request goes.
package enum RequestMatch: Sendable {
    /// Runs on its caller's actor, which is the connection's.
    package typealias Handler = @Sendable (Request) async -> Response

    case found(Destination)
    /// No endpoint takes it. The group, if any, whose part of the tree it came closest to words the answer.
    case refused(RequestFailure, group: Int?)

    /// An endpoint and what it needs to know from the path.
    package struct Destination: Sendable {
        package let handler: Handler
        /// The place of the route among all, for counters.
        package let route: Int
        /// The place of its group among all.
        package let group: Int
        /// At which level its answers below 500 are logged.
        package let logLevel: LogLevel
        /// Decoded, in the order of the pattern.
        package let pathParameters: [String]
        /// Bytes that its body may have, if that is more than others may have.
        package let bodyLimit: Int?

        package init(
            handler: @escaping Handler, route: Int, group: Int, logLevel: LogLevel, pathParameters: [String],
            bodyLimit: Int? = nil
        ) {
            self.bodyLimit = bodyLimit
            self.handler = handler
            self.route = route
            self.group = group
            self.logLevel = logLevel
            self.pathParameters = pathParameters
        }
    }

    /// What its body may be.
    func limits(_ limits: Limits) -> Limits {
        guard case .found(let found) = self, let bodyLimit = found.bodyLimit, bodyLimit > limits.body else { return limits }
        var wider = limits
        wider.body = bodyLimit
        return wider
    }

    /// The group that words what goes wrong.
    var group: Int? {
        switch self {
        case .found(let found): found.group
        case .refused(_, let group): group
        }
    }
}
