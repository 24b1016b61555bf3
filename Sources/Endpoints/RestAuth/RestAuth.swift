import HTTP
import Identity
package import Routing

/// Clients of django-rest-auth and dj-rest-auth: a key or JWTs for sign-in, Django's words for what is wrong.
package enum RestAuth {
    /// - Parameter prefix: what stands before the mounts of the API's options; empty for none.
    package static func make(_ services: Services, _ api: Parts, prefix: String) -> RouteGroup {
        let options = api.options
        let sharing = PageSharing(
            services.pages, requestFields: "Authorization, Content-Type, X-CSRFToken, X-Device-ID, X-Requested-With")
        let routes = options.mounts.flatMap { Self.routes(services, api, sharing, at: $0) }
        return RouteGroup(
            name: "rest-auth", prefix: prefix, routes: routes + sharing.preflights(of: routes),
            documentation: Failure.documentation,
            failure: { failure, head in
                let response = Failure.request(failure).response(Words(options, head), head)
                return head.map { sharing.sharing(response, with: $0) } ?? response
            })
    }

    private static func routes(_ services: Services, _ api: Parts, _ sharing: PageSharing, at mount: String) -> [Route] {
        let caller = Authenticator(services, api)
        let signIn = SignInAnswer(services, api)
        let mailer = Mailer(services, api)
        let endpoints: [any Endpoint] = [
            Login(services: services, api: api, signIn: signIn),
            Logout(services: services, api: api, method: .post), Logout(services: services, api: api, method: .get),
            UserDetails(services: services, api: api, caller: caller),
            ChangeUser(services: services, api: api, caller: caller, method: .put),
            ChangeUser(services: services, api: api, caller: caller, method: .patch),
            ChangePassword(services: services, api: api, caller: caller),
            RequestReset(services: services, mailer: mailer), ConfirmReset(services: services, api: api),
            Register(services: services, api: api, signIn: signIn, mailer: mailer),
            VerifyEmail(services: services), ResendEmail(services: services, mailer: mailer),
            ConfirmEmailPage(services: services, method: .get),
            ConfirmEmailPage(services: services, method: .post), EmailSentPage(),
            VerifyToken(services: services, api: api), Refresh(services: services, api: api),
            SocialAccounts(services: services, api: api, caller: caller),
            Disconnect(services: services, api: api, caller: caller),
        ]
        let social: [any Endpoint] = [ProviderID.google, .apple].flatMap { provider -> [any Endpoint] in
            [
                SocialLogin(services: services, api: api, signIn: signIn, provider: provider),
                SocialConnect(services: services, api: api, caller: caller, provider: provider),
            ]
        }
        return (endpoints + social).map { route($0, sharing, at: mount, api.options) }
    }

    /// Django asks for a slash at the end of the path. Clients do without it too, and are not redirected, because a redirected `POST`
    /// would lose its body.
    private static func route(
        _ endpoint: any Endpoint, _ sharing: PageSharing, at mount: String, _ options: Options
    ) -> Route {
        let isAlias = mount != options.mounts.first
        return Route(
            endpoint.method, mount + endpoint.path, accepts: endpoint.accepts, hasOptionalSlash: true,
            documentation: isAlias
                ? endpoint.documentation.alias(of: (options.mounts.first ?? "") + endpoint.path) : endpoint.documentation,
            handler: LimitFields.telling { request in
                let words = Words(options, request.head)
                do throws(Failure) {
                    return sharing.sharing(try await endpoint.answer(request, words), with: request.head)
                } catch {
                    return sharing.sharing(error.response(words, request.head), with: request.head)
                }
            })
    }
}

extension RestAuth {
    /// One endpoint of the rest-auth API. It throws what went wrong; the API words it.
    protocol Endpoint: Sendable {
        var method: Method { get }
        /// Behind the mount, with a slash at its end.
        var path: String { get }
        var accepts: AcceptedContent { get }
        var documentation: RouteDocumentation { get }

        func answer(_ request: Request, _ words: Words) async throws(Failure) -> Response
    }
}

extension RestAuth.Endpoint {
    var method: Method { .post }
    var accepts: AcceptedContent { method == .get ? .none : .jsonOrAnyForm }
}
