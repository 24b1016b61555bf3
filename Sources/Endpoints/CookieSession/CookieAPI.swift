import HTTP
package import Routing

/// The cookie session: sign-in with a form, and a cookie from then on, for apps that leave cookies to their HTTP library and for web
/// pages (the cookie session contract).
package enum CookieAPI {
    /// - Parameter prefix: what stands before `/login`; empty for none.
    package static func make(_ services: Services, prefix: String) -> RouteGroup {
        let gate = CookieGate(services)
        let sharing = PageSharing(
            gate.policy.origins, requestFields: "Content-Type, X-CSRF-Token, X-Device-ID, X-Requested-With")
        let endpoints: [any CookieEndpoint] = [
            CookieLogin(gate: gate), CookieTouch(gate: gate), CookieLogout(gate: gate), CookieLogoutAll(gate: gate),
            CookieSessionDetails(gate: gate), CookieSessionList(gate: gate), CookieEndSession(gate: gate),
        ]
        let deletion = gate.policy.deletion
        let routes = endpoints.map { route($0, sharing, deletion) }
        return RouteGroup(
            name: "cookie", prefix: prefix,
            routes: routes + sharing.preflights(of: routes),
            documentation: CookieError.documentation,
            failure: { failure, head in
                sharing.sharing(CookieError.request(failure).response(deletion), with: head)
            })
    }

    private static func route(_ endpoint: any CookieEndpoint, _ sharing: PageSharing, _ deletion: SetCookie) -> Route {
        let kind = type(of: endpoint)
        return Route(
            kind.method, kind.path, accepts: kind.accepts, hasOptionalSlash: true, documentation: kind.documentation,
            handler: LimitFields.telling { request in
                do throws(CookieError) {
                    return sharing.sharing(try await endpoint.answer(request), with: request.head)
                } catch {
                    return sharing.sharing(error.response(deletion), with: request.head)
                }
            })
    }
}
