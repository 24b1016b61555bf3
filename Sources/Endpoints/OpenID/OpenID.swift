import HTTP
import Identity
package import Routing

/// An OpenID provider: authorization code with PKCE, tokens, UserInfo, metadata (OAuth 2.0, OpenID Connect Core 1.0).
package enum OpenID {
    package static func make(_ services: Services, served: Set<String>) -> RouteGroup {
        let authorize = Authorize(services: services, browser: BrowserSession(services))
        let endpoints: [any Endpoint] = [
            Token(services: services), UserInfo(services: services, method: .get), UserInfo(services: services, method: .post),
            PushedAuthorization(services: services), DeviceAuthorization(services: services),
            AuthorizationChallenge(services: services),
        ]
        var routes = [
            Route(.get, Authorize.path, documentation: Authorize.documentation(isForm: false)) { await authorize.answer($0) },
            Route(.post, Authorize.path, accepts: .form, documentation: Authorize.documentation(isForm: true)) {
                await authorize.answer($0)
            },
        ]
        routes += endpoints.map { route($0, services) }
        let shared = Set(endpoints.filter(\.isForScripts).map(\.path))
        routes += shared.sorted().map { path in OpenSharing.preflight(path, endpoints.filter { $0.path == path }.map(\.method)) }
        routes += Discovery.routes(services, served: served)
        return RouteGroup(
            name: "openid", routes: routes, documentation: Failure.documentation,
            failure: { failure, head in
                let response = Failure(failure).response
                return head.map { shared.contains($0.path) } ?? false ? OpenSharing.readable(response) : response
            })
    }

    private static func route(_ endpoint: any Endpoint, _ services: Services) -> Route {
        Route(
            endpoint.method, endpoint.path, accepts: endpoint.accepts, documentation: endpoint.documentation,
            handler: LimitFields.telling { request in
                var response: Response
                do throws(Failure) {
                    response = try await endpoint.answer(request)
                } catch {
                    response = error.response
                }
                if !request.head.values(named: KeyProof.field).isEmpty {
                    response.fields.append("DPoP-Nonce", services.authorization.proofs.nonce)
                }
                return endpoint.isForScripts ? OpenSharing.readable(response) : response
            })
    }

    /// One endpoint that clients ask themselves. It throws what went wrong; the API words it.
    protocol Endpoint: Sendable {
        var method: Method { get }
        var path: String { get }
        var accepts: AcceptedContent { get }
        /// Whether scripts of any page may ask it and read the answer: no cookie counts there.
        var isForScripts: Bool { get }
        var documentation: RouteDocumentation { get }

        func answer(_ request: Request) async throws(Failure) -> Response
    }
}

extension OpenID.Endpoint {
    var method: Method { .post }
    var accepts: AcceptedContent { .form }
    var isForScripts: Bool { true }
}

/// Lets the scripts of every page ask and read the answer (Fetch §3.2).
enum OpenSharing {
    static func readable(_ response: Response) -> Response {
        var response = response
        response.fields.append("Access-Control-Allow-Origin", "*")
        response.fields.append("Access-Control-Expose-Headers", "DPoP-Nonce, Retry-After, WWW-Authenticate, X-Request-Id")
        return response
    }

    static func preflight(_ path: String, _ methods: [Method]) -> Route {
        let allowed = methods.map(\.name).joined(separator: ", ")
        return Route(
            .options, path,
            documentation: RouteDocumentation(
                "What the scripts of pages may do here", responses: [.empty(.noContent, "They may ask and read the answer.")])
        ) { _ in
            readable(
                .empty(
                    .noContent,
                    fields: [
                        "Access-Control-Allow-Methods": allowed,
                        "Access-Control-Allow-Headers": "Authorization, Content-Type, DPoP",
                        "Access-Control-Max-Age": "600",
                    ]))
        }
    }
}
