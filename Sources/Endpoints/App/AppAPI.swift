import HTTP
package import Routing

/// The app API: sign-up, sign-in and everything a mobile app needs afterwards, in JSON (the EchoLog contract).
package enum AppAPI {
    /// - Parameter prefix: what stands before `/auth`; empty for none.
    package static func make(_ services: Services, prefix: String) -> RouteGroup {
        let bearer = BearerUser(services)
        let sharing = PageSharing(services.cookies.origins, requestFields: "Authorization, Content-Type, X-Device-ID")
        func route<Endpoint: AppEndpoint>(_ endpoint: Endpoint, at alias: String? = nil) -> Route {
            Self.route(endpoint, sharing, at: alias)
        }
        let routes = [
            route(Register(services: services)),
            route(Login(services: services)),
            route(OAuthSignIn(services: services)),
            route(OAuthSignIn(services: services), at: "/auth/oauth/login"),
            route(OAuthSignIn(services: services), at: "/auth/oauth-login"),
            route(RequestPasswordReset(mailer: AppMailer(services))),
            route(ResetPassword(services: services)),
            route(RequestVerification(mailer: AppMailer(services))),
            route(VerifyEmail(services: services)),
            route(RequestAddress(services: services, bearer: bearer)),
            route(ConfirmAddress(services: services)),
            route(Refresh(services: services)),
            route(Refresh(services: services), at: "/auth/refresh-token"),
            route(Logout(services: services, bearer: bearer)),
            route(Me(services: services, bearer: bearer)),
            route(UpdateMe(services: services, bearer: bearer)),
            route(DeleteMe(services: services, bearer: bearer)),
            route(ListSessions(services: services, bearer: bearer)),
            route(EndSessions(services: services, bearer: bearer)),
            route(EndSession(services: services, bearer: bearer)),
            route(ListIdentities(services: services, bearer: bearer)),
            route(LinkIdentity(services: services, bearer: bearer)),
            route(UnlinkIdentity(services: services, bearer: bearer)),
            route(UnlinkNamedIdentity(services: services, bearer: bearer)),
        ]
        return RouteGroup(
            name: "app", prefix: prefix, routes: routes + sharing.preflights(of: routes),
            documentation: AppError.documentation,
            failure: { failure, head in sharing.sharing(AppError.request(failure).response, with: head) })
    }

    /// Express, which the contract's server is written with, takes a slash at the end of a path for none.
    private static func route<Endpoint: AppEndpoint>(
        _ endpoint: Endpoint, _ sharing: PageSharing, at alias: String?
    ) -> Route {
        Route(
            Endpoint.method, alias ?? Endpoint.path, accepts: Endpoint.accepts, hasOptionalSlash: Endpoint.hasOptionalSlash,
            documentation: alias == nil ? Endpoint.documentation : Endpoint.documentation.alias(of: Endpoint.path),
            handler: LimitFields.telling { request in
                do throws(AppError) {
                    return sharing.sharing(try await endpoint.answer(request), with: request.head)
                } catch {
                    return sharing.sharing(error.response, with: request.head)
                }
            })
    }
}
