import HTTP
package import Identity
import Logging
package import Routing

/// What backends ask: is this token good (RFC 7662), make it bad (RFC 7009), with which keys are tokens signed (RFC 7517).
package enum OAuth {
    package static let name = "oauth"

    package static func make(_ services: Services, _ options: Options) -> RouteGroup {
        let authentication = ClientAuthentication(services: services)
        let introspect = Introspect(services: services, authentication: authentication)
        let verify = Verify(services: services, authentication: authentication, options: options)
        return RouteGroup(
            name: name,
            routes: verifying(verify) + [
                // The busiest route: counted always, logged when asked for detail.
                Route(
                    .post, "/oauth2/introspect", accepts: .form, logLevel: .debug, documentation: Introspect.documentation
                ) { request in
                    await answer(request) { request throws(Failure) in try await introspect.answer(request) }
                },
                Route(
                    .post, "/oauth2/introspect/batch", accepts: .jsonOrForm, logLevel: .debug,
                    bodyLimit: IntrospectBatch.bodyLimit,
                    documentation: IntrospectBatch.documentation
                ) { request in
                    await answer(request, IntrospectBatch(services: services, authentication: authentication).answer)
                },
                Route(.post, Revoke.path, accepts: .form, documentation: Revoke.documentation) { request in
                    Revoke.readable(
                        await answer(request, Revoke(services: services, authentication: authentication).answer))
                },
                Route(.get, Revocations.path, documentation: Revocations.documentation) { request in
                    await answer(request, Revocations(services: services, authentication: authentication).answer)
                },
                Route(.options, Revoke.path, documentation: Revoke.preflightDocumentation) { _ in Revoke.preflight },
                Route(.get, "/.well-known/jwks.json", logLevel: .debug, documentation: KeySet.documentation) { request in
                    await answer(request, KeySet(keys: services.keys).answer)
                },
            ],
            documentation: Failure.documentation,
            failure: { failure, head in
                if let head, Verify.covers(head) { return Verify.response(to: failure) }
                let response = Failure.request(failure).response
                return head?.path == Revoke.path ? Revoke.readable(response) : response
            })
    }

    /// Gateways ask with the method of the request, or with GET.
    private static func verifying(_ verify: Verify) -> [Route] {
        Verify.methods.flatMap { method in
            [
                Route(method, Verify.path, logLevel: .debug, documentation: Verify.documentation) { request in
                    await verify.answer(request, hasQuery: true)
                },
                Route(method, Verify.rest, logLevel: .debug, documentation: Verify.documentationOfRest) { request in
                    await verify.answer(request, hasQuery: false)
                },
            ]
        }
    }

    private static func answer(
        _ request: Request, _ endpoint: (Request) async throws(Failure) -> Response
    ) async -> Response {
        do throws(Failure) {
            return try await endpoint(request)
        } catch {
            return error.response
        }
    }
}

extension OAuth {
    /// What an operator decides about what backends and gateways ask.
    package struct Options: Sendable {
        /// Whose hosts may ask whether a request may pass without naming themselves.
        package var verifyNetworks = CallerNetworks([])
        /// The session cookie that lets a request pass; nil if none does.
        package var verifiedCookie: String?

        package init() {}
    }
}
