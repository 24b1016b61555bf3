import HTTP
package import Routing

/// The cookie session: sign-in with a form, and a cookie from then on, for apps that leave cookies to their HTTP library and for web
/// pages.
package enum CookieAPI {
    /// - Parameter prefix: what stands before `/login`; empty for none.
    package static func make(_ services: Services, _ policy: Policy, prefix: String) -> RouteGroup {
        let gate = Gate(services: services, policy: policy)
        let sharing = PageSharing(
            services.pages, requestFields: "Content-Type, X-CSRF-Token, X-Device-ID, X-Requested-With")
        let endpoints: [any Endpoint] = [
            Login(gate: gate), Touch(gate: gate), Logout(gate: gate), LogoutAll(gate: gate),
            SessionDetails(gate: gate), SessionList(gate: gate), EndSession(gate: gate),
        ]
        let deletion = policy.deletion
        let routes = endpoints.map { route($0, sharing, deletion) }
        return RouteGroup(
            name: "cookie", prefix: prefix,
            routes: routes + sharing.preflights(of: routes),
            documentation: Failure.documentation,
            failure: { failure, head in
                sharing.sharing(Failure.request(failure).response(deletion), with: head)
            })
    }

    private static func route(_ endpoint: any Endpoint, _ sharing: PageSharing, _ deletion: SetCookie) -> Route {
        let kind = type(of: endpoint)
        return Route(
            kind.method, kind.path, accepts: kind.accepts, hasOptionalSlash: true, documentation: kind.documentation,
            handler: LimitFields.telling { request in
                do throws(Failure) {
                    return sharing.sharing(try await endpoint.answer(request), with: request.head)
                } catch {
                    return sharing.sharing(error.response(deletion), with: request.head)
                }
            })
    }
}

extension CookieAPI {
    /// One endpoint of the cookie session. It throws what went wrong; the API words it.
    protocol Endpoint: Sendable {
        static var method: Method { get }
        static var path: String { get }
        static var accepts: AcceptedContent { get }
        static var documentation: RouteDocumentation { get }

        func answer(_ request: Request) async throws(Failure) -> Response
    }
}

extension CookieAPI.Endpoint {
    static var accepts: AcceptedContent { .none }
}
