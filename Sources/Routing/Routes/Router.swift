package import HTTP

/// Finds the endpoint for a request by its raw path: nothing is decoded, folded or normalised on the way, so that no two
/// spellings of a path mean the same route (`//`, `/./`, `%2e`, `;` and the like simply are other paths).
package final class Router: RequestHandler {
    /// A route at its full path.
    package struct Entry: Sendable {
        package let api: RouteGroup
        /// The place of the API in `apis`.
        fileprivate let owner: Int
        package let route: Route
        /// The API's prefix and the route's pattern.
        package let pattern: String
    }

    private struct Endpoint: Sendable {
        /// The place of its API in `apis`.
        let owner: Int
        /// Places in `routes`.
        var routes: [Int]
        var allow: [Method] = []
    }

    /// All routes in the order of their APIs.
    package let routes: [Entry]
    package let apis: [RouteGroup]
    private let tree: PathTree
    private let endpoints: [Endpoint]
    private let allMethods: [Method]
    private let fallback: RouteGroup.FailureRenderer

    /// - Parameter fallback: words what no API is near to; plain text unless given.
    package init(
        apis: [RouteGroup], fallback: @escaping RouteGroup.FailureRenderer = Router.plainText
    ) throws(RouterError) {
        var (tree, endpoints, routes) = (PathTree(), [Endpoint](), [Entry]())
        for (owner, api) in apis.enumerated() {
            for route in api.routes {
                let entry = Entry(api: api, owner: owner, route: route, pattern: api.prefix + route.pattern)
                guard let place = tree.endpoint(for: entry.pattern, owner: owner, orAdd: endpoints.count) else {
                    throw .malformedPattern(entry.pattern)
                }
                if place == endpoints.count {
                    endpoints.append(Endpoint(owner: owner, routes: []))
                }
                if route.hasOptionalSlash {
                    let twin = Self.twin(of: entry.pattern)
                    guard tree.endpoint(for: twin, owner: owner, orAdd: place) == place else {
                        throw .duplicateRoute(method: route.method, pattern: twin, apis: [api.name])
                    }
                }
                if let other = endpoints[place].routes.first(where: { routes[$0].route.method == route.method }) {
                    let apis = [routes[other].api.name, api.name]
                    throw .duplicateRoute(method: route.method, pattern: entry.pattern, apis: apis)
                }
                endpoints[place].routes.append(routes.count)
                routes.append(entry)
            }
        }
        for place in endpoints.indices {
            endpoints[place].allow = Self.allowed(endpoints[place].routes.map { routes[$0].route.method })
        }
        allMethods = Self.allowed(routes.map(\.route.method))
        (self.tree, self.endpoints, self.routes) = (tree, endpoints, routes)
        (self.apis, self.fallback) = (apis, fallback)
    }

    package var routeNames: [RequestMetrics.RouteName] {
        routes.map { RequestMetrics.RouteName(method: $0.route.method.name, pattern: $0.pattern) }
    }

    /// The most specific path decides, whatever its methods; HEAD is answered by GET unless it has a route of its own.
    package func match(_ head: RequestHead) -> RequestMatch {
        let match = tree.match(head.bytes.span.extracting(head.pathRange.range))
        guard let place = match.endpoint else {
            return unknown(head, near: match.owner)
        }
        let endpoint = endpoints[place]
        guard let index = route(at: endpoint, for: head.method) else {
            return .refused(.methodNotAllowed(allow: endpoint.allow), group: endpoint.owner)
        }
        let entry = routes[index]
        guard entry.route.accepts.accepts(head) else {
            return .refused(.unsupportedMediaType, group: entry.owner)
        }
        return .found(
            .init(
                handler: entry.route.handler, route: index, group: entry.owner, logLevel: entry.route.logLevel,
                pathParameters: match.parameters, bodyLimit: entry.route.bodyLimit))
    }

    /// The path of a request as it may be told of: that of its route, in which parameters have their names. Of a path that leads nowhere it
    /// is the part that is known, and `*` for the rest, which may be a secret, such as the code of a link with a slash too few.
    package func template(of head: RequestHead) -> String {
        let path = head.bytes.span.extracting(head.pathRange.range)
        guard let place = tree.match(path).endpoint, let first = endpoints[place].routes.first else {
            return tree.known(of: path)
        }
        return routes[first].pattern
    }

    /// The answer to a failure in the words of an API. `Allow` and `Retry-After`, which the status asks for, are added here.
    package func response(to failure: RequestFailure, in group: Int?, head: RequestHead?) -> Response {
        var response = (group.map { apis[$0].failure } ?? fallback)(failure, head)
        switch failure {
        case .methodNotAllowed(let allow) where response.fields.values(named: "allow").isEmpty:
            response.fields.append("Allow", allow.map(\.name).joined(separator: ", "))
        case .unavailable(let retryAfter) where response.fields.values(named: "retry-after").isEmpty:
            response.fields.append("Retry-After", String(max(1, retryAfter.components.seconds)))
        case .unsupportedMediaType where head?.fields.value(of: .contentEncoding) != nil:
            // RFC 9110 §15.5.16: it is the coding.
            response.fields.append("Accept-Encoding", "identity")
        case .notFound, .methodNotAllowed, .unsupportedMediaType, .payloadTooLarge, .malformed, .timeout, .unavailable,
            .internalError:
            break
        }
        return response
    }

    /// A failure in one line of plain text.
    package static let plainText: RouteGroup.FailureRenderer = { failure, _ in
        .text(failure.status, "\(failure.reason)\n")
    }

    private func unknown(_ head: RequestHead, near owner: Int?) -> RequestMatch {
        if head.isAboutServer {
            return .refused(.methodNotAllowed(allow: allMethods), group: nil)
        }
        return .refused(.notFound, group: owner)
    }

    private func route(at endpoint: Endpoint, for method: Method) -> Int? {
        if let exact = endpoint.routes.first(where: { routes[$0].route.method == method }) {
            return exact
        }
        return method == .head ? route(at: endpoint, for: .get) : nil
    }

    /// The same path with a slash at its end, or without.
    private static func twin(of pattern: String) -> String {
        pattern.utf8.last == .ascii("/") ? String(pattern.dropLast()) : pattern + "/"
    }

    private static func allowed(_ methods: [Method]) -> [Method] {
        var unique = Set(methods)
        if unique.contains(.get) {
            unique.insert(.head)
        }
        return unique.sorted { $0.name < $1.name }
    }
}

extension RequestHead {
    /// `OPTIONS *` asks about the server as a whole (RFC 9110 §9.3.7).
    fileprivate var isAboutServer: Bool {
        bytes.span.equals("*", in: pathRange.range)
    }
}

/// A mistake in the table of routes, found when the router is built.
package enum RouterError: Error, Equatable, Sendable {
    /// Not a list of `/segment` and `/{name}`, with or without a slash at its end.
    case malformedPattern(String)
    /// Two routes would answer the same requests.
    case duplicateRoute(method: Method, pattern: String, apis: [String])
}
