import HTTP
import Identity
package import Routing

/// The token resource: one URL, three verbs, in the words of FastAPI (the token resource contract).
package enum TokenAPI {
    /// - Parameter prefix: what stands before `/auth`; empty for none.
    package static func make(_ services: Services, prefix: String) -> RouteGroup {
        let sharing = PageSharing(services.cookies.origins, requestFields: "Authorization, Content-Type, X-Device-ID")
        let routes = [
            route(ObtainToken(services: services), sharing), route(RenewToken(services: services), sharing),
            route(EndToken(services: services), sharing),
        ]
        return RouteGroup(
            name: "token", prefix: prefix, routes: routes + sharing.preflights(of: routes),
            documentation: TokenError.documentation,
            failure: { failure, head in sharing.sharing(TokenError.request(failure).response, with: head) })
    }

    /// With and without a slash at the end, and never a redirect, on which URLSession may drop `Authorization` (§2).
    private static func route<Endpoint: TokenEndpoint>(_ endpoint: Endpoint, _ sharing: PageSharing) -> Route {
        Route(
            Endpoint.method, "/auth/token", accepts: Endpoint.accepts, hasOptionalSlash: true,
            documentation: Endpoint.documentation,
            handler: LimitFields.telling { request in
                do throws(TokenError) {
                    return sharing.sharing(try await endpoint.answer(request), with: request.head)
                } catch {
                    return sharing.sharing(error.response, with: request.head)
                }
            })
    }
}
