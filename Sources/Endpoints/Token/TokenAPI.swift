import HTTP
package import Routing

/// The token resource: one URL, three verbs, in the words of FastAPI.
package enum TokenAPI {
    /// - Parameter prefix: what stands before `/auth`; empty for none.
    package static func make(_ services: Services, prefix: String) -> RouteGroup {
        let sharing = PageSharing(services.pages, requestFields: "Authorization, Content-Type, X-Device-ID")
        let routes = [
            route(Obtain(services: services), sharing), route(Renew(services: services), sharing),
            route(End(services: services), sharing),
        ]
        return RouteGroup(
            name: "token", prefix: prefix, routes: routes + sharing.preflights(of: routes),
            documentation: Failure.documentation,
            failure: { failure, head in sharing.sharing(Failure.request(failure).response, with: head) })
    }

    /// With and without a slash at the end, and never a redirect, on which URLSession may drop `Authorization` (§2).
    private static func route<Kind: Endpoint>(_ endpoint: Kind, _ sharing: PageSharing) -> Route {
        Route(
            Kind.method, "/auth/token", accepts: Kind.accepts, hasOptionalSlash: true,
            documentation: Kind.documentation,
            handler: LimitFields.telling { request in
                do throws(Failure) {
                    return sharing.sharing(try await endpoint.answer(request), with: request.head)
                } catch {
                    return sharing.sharing(error.response, with: request.head)
                }
            })
    }
}

extension TokenAPI {
    /// One verb of the token resource. It throws what went wrong; the API words it.
    protocol Endpoint: Sendable {
        static var method: Method { get }
        static var accepts: AcceptedContent { get }
        static var documentation: RouteDocumentation { get }

        func answer(_ request: Request) async throws(Failure) -> Response
    }
}

extension TokenAPI.Endpoint {
    static var accepts: AcceptedContent { .none }
}
