import HTTP
import Identity
package import Routing

/// Clients of django-rest-auth and dj-rest-auth (the rest-auth contract): a key or JWTs for sign-in, Django's words for what is wrong.
package enum RestAuthAPI {
    /// - Parameter prefix: what stands before the mounts of the API's options; empty for none.
    package static func make(_ services: Services, prefix: String) -> RouteGroup {
        let options = services.restAuth.options
        let sharing = PageSharing(
            services.cookies.origins, requestFields: "Authorization, Content-Type, X-CSRFToken, X-Device-ID, X-Requested-With")
        let routes = options.mounts.flatMap { Self.routes(services, sharing, at: $0) }
        return RouteGroup(
            name: "rest-auth", prefix: prefix, routes: routes + sharing.preflights(of: routes),
            documentation: RestAuthError.documentation,
            failure: { failure, head in
                let response = RestAuthError.request(failure).response(RestAuthWords(options, head), head)
                return head.map { sharing.sharing(response, with: $0) } ?? response
            })
    }

    private static func routes(_ services: Services, _ sharing: PageSharing, at mount: String) -> [Route] {
        let caller = RestAuthCaller(services)
        let signIn = RestAuthSignIn(services)
        let mailer = RestAuthMailer(services)
        let endpoints: [any RestAuthEndpoint] = [
            RestAuthLogin(services: services, signIn: signIn),
            RestAuthLogout(services: services, method: .post), RestAuthLogout(services: services, method: .get),
            RestAuthUserDetails(services: services, caller: caller),
            RestAuthChangeUser(services: services, caller: caller, method: .put),
            RestAuthChangeUser(services: services, caller: caller, method: .patch),
            RestAuthChangePassword(services: services, caller: caller),
            RestAuthRequestReset(services: services, mailer: mailer), RestAuthConfirmReset(services: services),
            RestAuthRegister(services: services, signIn: signIn, mailer: mailer),
            RestAuthVerifyEmail(services: services), RestAuthResendEmail(services: services, mailer: mailer),
            RestAuthConfirmEmailPage(services: services, method: .get),
            RestAuthConfirmEmailPage(services: services, method: .post), RestAuthEmailSentPage(),
            RestAuthVerifyToken(services: services), RestAuthRefreshToken(services: services),
            RestAuthSocialAccounts(services: services, caller: caller), RestAuthDisconnect(services: services, caller: caller),
        ]
        let social: [any RestAuthEndpoint] = [ProviderID.google, .apple].flatMap { provider -> [any RestAuthEndpoint] in
            [
                RestAuthSocialLogin(services: services, signIn: signIn, provider: provider),
                RestAuthSocialConnect(services: services, caller: caller, provider: provider),
            ]
        }
        let options = services.restAuth.options
        return (endpoints + social).map { route($0, sharing, at: mount, options) }
    }

    /// Django asks for a slash at the end of the path. Clients do without it too, and are not redirected, because a redirected `POST`
    /// would lose its body (contract §2, [D]).
    private static func route(
        _ endpoint: any RestAuthEndpoint, _ sharing: PageSharing, at mount: String, _ options: RestAuthOptions
    ) -> Route {
        let isAlias = mount != options.mounts.first
        return Route(
            endpoint.method, mount + endpoint.path, accepts: endpoint.accepts, hasOptionalSlash: true,
            documentation: isAlias
                ? endpoint.documentation.alias(of: (options.mounts.first ?? "") + endpoint.path) : endpoint.documentation,
            handler: LimitFields.telling { request in
                let words = RestAuthWords(options, request.head)
                do throws(RestAuthError) {
                    return sharing.sharing(try await endpoint.answer(request, words), with: request.head)
                } catch {
                    return sharing.sharing(error.response(words, request.head), with: request.head)
                }
            })
    }
}
