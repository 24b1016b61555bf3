import Testing

@testable import HTTP
@testable import Routing

@Suite struct RouterTests {
    /// What a request is answered with: the handler's name or the API and status of the failure.
    private func outcome(_ method: String, _ path: String, fields: [String] = []) throws -> String {
        let head = try parsedHead(fields: fields, method: method, path: path)
        let router = try Self.router()
        switch router.match(head) {
        case .found(let destination):
            let entry = router.routes[destination.route]
            let parameters = destination.pathParameters.map { "(\($0))" }.joined()
            return "\(entry.route.method.name) \(entry.pattern)\(parameters)"
        case .refused(let failure, let group):
            return "\(failure.status.code) \(group.map { router.apis[$0].name } ?? "-")"
        }
    }

    @Test(arguments: [
        ("GET", "/auth/me", "/auth/me"), ("GET", "/auth/me?code=secret", "/auth/me"), ("PUT", "/auth/me", "/auth/me"),
        ("DELETE", "/auth/sessions/secret", "/auth/sessions/{id}"), ("GET", "/auth/sessions/secret", "/auth/sessions/{id}"),
        ("GET", "/auth/sessions/secret/events/s", "/auth/sessions/{id}/events/{event}"),
        ("GET", "/auth/sessions/secret/events", "/auth/sessions/{}/events"), ("GET", "/auth/sessions/", "/auth/sessions/*"),
        ("GET", "/auth/sessions/secret/secret/x", "/auth/sessions/{}/*"), ("GET", "/auth/mesecret", "/auth/*"),
        ("GET", "/secret", "/*"), ("GET", "//auth/me", "//*"), ("GET", "/", "/"), ("OPTIONS", "*", "*"),
        ("DELETE", "/auth/sessions/%ff", "/auth/sessions/{}"),
    ])
    func `of a path nothing is told but what routes are called`(_ method: String, _ path: String, _ told: String) throws {
        #expect(try Self.router().template(of: try parsedHead(fields: [], method: method, path: path)) == told)
    }

    private static func router() throws(RouterError) -> Router {
        func route(_ method: Method, _ pattern: String, accepts: AcceptedContent = .none) -> Route {
            Route(method, pattern, accepts: accepts, documentation: .undocumented) { _ in .empty(.ok) }
        }
        func api(_ name: String, prefix: String = "", _ routes: [Route]) -> RouteGroup {
            RouteGroup(name: name, prefix: prefix, routes: routes, documentation: .plainText("")) { failure, _ in
                .text(failure.status, name)
            }
        }
        return try Router(apis: [
            api(
                "app", prefix: "/auth",
                [
                    route(.post, "/login", accepts: .json), route(.get, "/me"), route(.patch, "/me", accepts: .json),
                    route(.delete, "/me"), route(.get, "/sessions"), route(.delete, "/sessions/{id}"),
                    route(.get, "/sessions/current"), route(.get, "/sessions/{id}/events/{event}"),
                ]),
            api(
                "oauth", prefix: "/oauth2",
                [route(.post, "/introspect", accepts: .form), route(.head, "/keys"), route(.get, "/keys")]),
            api("cors", [route(.options, "/open"), route(.get, "/open"), route(.get, "/")]),
        ])
    }

    @Test(arguments: [
        ("GET", "/auth/me", "GET /auth/me"), ("PATCH", "/auth/me", "PATCH /auth/me"), ("GET", "/auth/me?a=b", "GET /auth/me"),
        ("GET", "/", "GET /"), ("OPTIONS", "/open", "OPTIONS /open"),
        ("DELETE", "/auth/sessions/abc", "DELETE /auth/sessions/{id}(abc)"),
        ("DELETE", "/auth/sessions/a%20%C3%A9+", "DELETE /auth/sessions/{id}(a é+)"),
        ("GET", "/auth/sessions/current", "GET /auth/sessions/current"),
        ("GET", "/auth/sessions/current/events/7", "GET /auth/sessions/{id}/events/{event}(current)(7)"),
        ("GET", "/auth/sessions/a/events/b", "GET /auth/sessions/{id}/events/{event}(a)(b)"),
    ])
    func `a path leads to its route`(method: String, path: String, expected: String) throws {
        #expect(try outcome(method, path) == expected)
    }

    @Test func `HEAD is answered by GET unless it has its own route`() throws {
        #expect(try outcome("HEAD", "/auth/me") == "GET /auth/me")
        #expect(try outcome("HEAD", "/oauth2/keys") == "HEAD /oauth2/keys")
        #expect(try outcome("HEAD", "/auth/login") == "405 app")
    }

    @Test(arguments: [
        "//auth/me", "/auth//me", "/auth/me/", "/auth/./me", "/auth/../auth/me", "/auth/%6de", "/auth/me%00", "/Auth/me",
        "/auth/me;a=b",
        "/%2e/auth/me", "/auth%2fme", "/auth/me%20", "/auth", "/auth/", "/authme", "/auth/m", "/auth/mee", "http://a/auth/me/",
    ])
    func `another spelling of a path is another path`(path: String) throws {
        #expect(try outcome("GET", path).hasPrefix("404"))
    }

    @Test(arguments: [
        "", "%00", "a%00b", "a%2Fb", "%2f", "%zz", "%", "%C3", "%C0%AF", "%ED%A0%80", String(repeating: "a", count: 257),
        String(repeating: "%61", count: 257),
    ])
    func `a segment that cannot be a parameter matches nothing`(segment: String) throws {
        #expect(try outcome("DELETE", "/auth/sessions/\(segment)") == "404 app")
    }

    @Test func `a parameter may have 256 bytes once decoded`() throws {
        let segment = String(repeating: "%61", count: 256)
        #expect(try outcome("DELETE", "/auth/sessions/\(segment)").hasSuffix("(" + String(repeating: "a", count: 256) + ")"))
    }

    @Test(arguments: [
        ("/nothing", "404 -"), ("/auth/nothing", "404 app"), ("/oauth2", "404 oauth"), ("/oauth2/nothing/at/all", "404 oauth"),
        ("/open/x", "404 cors"), ("/auth/sessions/a/nothing", "404 app"), ("/authx/me", "404 -"), ("/oauth2x", "404 -"),
    ])
    func `an unknown path is answered by the API that is nearest to it`(path: String, expected: String) throws {
        #expect(try outcome("GET", path) == expected)
    }

    @Test(arguments: [
        ("POST", "/auth/me", "DELETE, GET, HEAD, PATCH"), ("OPTIONS", "/auth/me", "DELETE, GET, HEAD, PATCH"),
        ("GET", "/auth/login", "POST"),
        ("TRACE", "/auth/me", "DELETE, GET, HEAD, PATCH"), ("BREW", "/auth/login", "POST"),
        ("PUT", "/open", "GET, HEAD, OPTIONS"),
        ("DELETE", "/auth/sessions/current", "GET, HEAD"), ("OPTIONS", "*", "DELETE, GET, HEAD, OPTIONS, PATCH, POST"),
    ])
    func `a method that a path lacks is 405 with those it has`(method: String, path: String, allow: String) throws {
        let router = try Self.router()
        guard case .refused(let failure, let group) = router.match(try parsedHead(fields: [], method: method, path: path)) else {
            Issue.record("not refused")
            return
        }
        #expect(failure.status == .methodNotAllowed)
        #expect(router.response(to: failure, in: group, head: nil).fields.values(named: "allow") == [allow])
    }

    @Test func `a body of another type is 415 in the words of the API`() throws {
        #expect(try outcome("POST", "/auth/login", fields: ["Content-Length: 2"]) == "415 app")
        #expect(
            try outcome("POST", "/auth/login", fields: ["Content-Length: 2", "Content-Type: application/json"])
                == "POST /auth/login")
        #expect(
            try outcome("POST", "/oauth2/introspect", fields: ["Content-Length: 2", "Content-Type: application/json"])
                == "415 oauth")
    }

    @Test func `places of routes are dense and in order`() throws {
        let router = try Self.router()
        #expect(router.routes.count == 14)
        for (index, entry) in router.routes.enumerated() where !entry.pattern.contains("{") {
            let match = router.match(try parsedHead(fields: [], method: entry.route.method.name, path: entry.pattern))
            guard case .found(let destination) = match else {
                Issue.record("\(entry.pattern) not found")
                continue
            }
            #expect(destination.route == index)
        }
    }

    @Test func `a failure gets the fields its status asks for, and keeps those the API chose`() throws {
        let router = try Self.router()
        let overloaded = router.response(to: .unavailable(retryAfter: .milliseconds(100)), in: nil, head: nil)
        #expect(overloaded.status == .serviceUnavailable)
        #expect(overloaded.fields.values(named: "retry-after") == ["1"])
        #expect(
            router.response(to: .unavailable(retryAfter: .seconds(7)), in: nil, head: nil).fields.values(named: "retry-after")
                == ["7"])
        let api = RouteGroup(name: "own", routes: [], documentation: .plainText("")) { _, _ in
            .empty(.serviceUnavailable, fields: ["Retry-After": "9"])
        }
        #expect(
            try Router(apis: [api]).response(to: .unavailable(retryAfter: .seconds(7)), in: 0, head: nil).fields.values(
                named: "retry-after")
                == ["9"])
        #expect(router.response(to: .methodNotAllowed(allow: []), in: nil, head: nil).fields.values(named: "allow") == [""])
    }

    @Test func `without an API a failure is a line of plain text`() throws {
        let response = try Self.router().response(to: .malformed(.malformedHost), in: nil, head: nil)
        #expect(response.status == .badRequest)
        #expect(response.body == [UInt8]("the Host field is malformed\n".utf8))
    }

    @Test func `a handler is called with what the path held`() async throws {
        let route = Route(.get, "/{a}/{b}", documentation: .undocumented) { request in
            .text(.ok, request.pathParameters.joined(separator: "|"))
        }
        let router = try Router(apis: [
            RouteGroup(name: "d", routes: [route], documentation: .plainText(""), failure: Router.plainText)
        ])
        let head = try parsedHead(fields: [], path: "/x/y%20z")
        guard case .found(let found) = router.match(head) else {
            Issue.record("not found")
            return
        }
        let request = Request(
            head: head, body: [], pathParameters: found.pathParameters, origin: RequestOrigin(peer: "::1"), id: "r")
        #expect(await found.handler(request).body == [UInt8]("x|y z".utf8))
        #expect(found.route == 0)
    }
}

@Suite struct RouterTableTests {
    private func router(_ routes: [(Method, String)], prefix: String = "") throws(RouterError) -> Router {
        let routes = routes.map { Route($0.0, $0.1, documentation: .undocumented) { _ in .empty(.ok) } }
        let api = RouteGroup(
            name: "d", prefix: prefix, routes: routes, documentation: .plainText(""), failure: Router.plainText)
        return try Router(apis: [api])
    }

    @Test(arguments: [
        "", "a", "//", "/a//", "//a/", "/a//b", "/a b", "/é", "/%41", "/a?b", "/a#b", "/{}", "/a{b}", "/{b}c", "/{a/b}", "/\\",
    ])
    func `a malformed pattern is refused`(pattern: String) {
        #expect(throws: RouterError.malformedPattern(pattern)) { try router([(.get, pattern)]) }
    }

    @Test(arguments: ["a", "/a/", "/"]) func `a malformed prefix is refused`(prefix: String) {
        #expect(throws: RouterError.malformedPattern("\(prefix)/x")) { try router([(.get, "/x")], prefix: prefix) }
    }

    @Test func `a slash at the end makes no difference where the route says so, however it is written`() throws {
        func route(_ method: Method, _ pattern: String, hasOptionalSlash: Bool = true) -> Route {
            Route(method, pattern, hasOptionalSlash: hasOptionalSlash, documentation: .undocumented) { _ in .empty(.ok) }
        }
        let routes = [
            route(.get, "/a"), route(.put, "/a", hasOptionalSlash: false), route(.get, "/b/"), route(.get, "/c/{d}"),
            route(.get, "/e", hasOptionalSlash: false),
        ]
        let api = RouteGroup(name: "d", routes: routes, documentation: .plainText(""), failure: Router.plainText)
        let router = try Router(apis: [api])
        func found(_ method: String, _ path: String) throws -> Int? {
            guard case .found(let found) = router.match(try parsedHead(fields: [], method: method, path: path)) else {
                return nil
            }
            return found.route
        }
        for (path, index) in [("/a", 0), ("/b", 2), ("/c/x", 3)] {
            #expect(try found("GET", path) == index)
            #expect(try found("GET", path + "/") == index)
            #expect(try found("GET", path + "//") == nil)
        }
        #expect(try found("PUT", "/a/") == 1)
        #expect(try found("GET", "/c/") == nil)
        #expect(try found("GET", "/e/") == nil)
    }

    @Test func `a path may have its own route with a slash at the end`() throws {
        let router = try router([(.get, "/a"), (.put, "/a/"), (.get, "/b/{c}/")])
        #expect(router.routes.map(\.pattern) == ["/a", "/a/", "/b/{c}/"])
        for (path, method, index) in [("/a", "GET", 0), ("/a/", "PUT", 1), ("/b/x/", "GET", 2)] {
            guard case .found(let found) = router.match(try parsedHead(fields: [], method: method, path: path)) else {
                Issue.record("\(path) is not found")
                continue
            }
            #expect(found.route == index)
        }
        for (path, method) in [
            ("/a", "PUT"), ("/a/", "GET"), ("/b/x", "GET"), ("/b/x//", "GET"), ("/a//", "PUT"), ("/b//", "GET"),
        ] {
            guard case .refused = router.match(try parsedHead(fields: [], method: method, path: path)) else {
                Issue.record("\(path) is found")
                continue
            }
        }
    }

    @Test func `a route that comes twice is refused, whatever its parameters are called`() throws {
        let apis = ["d", "d"]
        #expect(throws: RouterError.duplicateRoute(method: .get, pattern: "/a", apis: apis)) {
            try router([(.get, "/a"), (.get, "/a")])
        }
        #expect(throws: RouterError.duplicateRoute(method: .get, pattern: "/{b}", apis: apis)) {
            try router([(.get, "/{a}"), (.get, "/{b}")])
        }
        _ = try router([(.get, "/a"), (.post, "/a"), (.get, "/{a}"), (.get, "/{a}/b")])
    }

    @Test func `a prefix alone can be a path`() throws {
        let router = try router([(.get, "")], prefix: "/a")
        guard case .found = router.match(try parsedHead(fields: [], path: "/a")) else {
            Issue.record("not found")
            return
        }
    }
}

@Suite struct RequestFailureTests {
    @Test(arguments: HTTPParseError.allCases) func `a parse error keeps its status as a failure`(error: HTTPParseError) {
        #expect(RequestFailure(error).status == error.status)
    }

    @Test func `a body that is too large and CONNECT have failures of their own`() {
        #expect(RequestFailure(.bodyTooLarge) == .payloadTooLarge)
        #expect(RequestFailure(.connectMethod) == .methodNotAllowed(allow: []))
    }

    @Test func `failures have these statuses`() {
        let codes = [
            RequestFailure.notFound, .unsupportedMediaType, .timeout, .unavailable(retryAfter: .seconds(1)), .internalError,
        ].map(\.status.code)
        #expect(codes == [404, 415, 408, 503, 500])
    }
}

extension RouteDocumentation {
    /// For routes that only tests have.
    static var undocumented: RouteDocumentation { RouteDocumentation("For tests.", responses: []) }
}
