import HTTP
package import Identity
package import Routing
import Text

/// The app API: sign-up, sign-in and everything a mobile app needs afterwards, in JSON.
package enum AppAPI {
    /// - Parameters:
    ///   - migration: of users of a Firebase project; nil for none.
    ///   - prefix: what stands before `/auth`; empty for none.
    package static func make(
        _ services: Services, _ options: Options, migration: FirebaseMigration? = nil, prefix: String
    ) -> RouteGroup {
        let bearer = BearerUser(services)
        let sharing = PageSharing(services.pages, requestFields: "Authorization, Content-Type, X-Device-ID")
        func route<Kind: Endpoint>(_ endpoint: Kind, at alias: String? = nil) -> Route {
            Self.route(endpoint, sharing, at: alias)
        }
        let routes =
            [
                route(Register(services: services, options: options)),
                route(Login(services: services)),
                route(OAuthSignIn(services: services, options: options)),
                route(OAuthSignIn(services: services, options: options), at: "/auth/oauth/login"),
                route(OAuthSignIn(services: services, options: options), at: "/auth/oauth-login"),
                route(RequestPasswordReset(mailer: Mailer(services, options))),
                route(ResetPassword(services: services)),
                route(RequestVerification(mailer: Mailer(services, options))),
                route(VerifyEmail(services: services)),
                route(RequestAddress(services: services, options: options, bearer: bearer)),
                route(ConfirmAddress(services: services)),
                route(Refresh(services: services)),
                route(Refresh(services: services), at: "/auth/refresh-token"),
                route(Logout(services: services, bearer: bearer)),
                route(Me(services: services, bearer: bearer)),
                route(UpdateMe(services: services, bearer: bearer)),
                route(DeleteMe(services: services, options: options, bearer: bearer)),
                route(ListSessions(services: services, bearer: bearer)),
                route(EndSessions(services: services, bearer: bearer)),
                route(EndSession(services: services, bearer: bearer)),
                route(ListIdentities(services: services, bearer: bearer)),
                route(LinkIdentity(services: services, bearer: bearer)),
                route(UnlinkIdentity(services: services, bearer: bearer)),
                route(UnlinkNamedIdentity(services: services, bearer: bearer)),
            ] + (migration.map { [route(MigrateFirebase(services: services, migration: $0))] } ?? [])
        return RouteGroup(
            name: "app", prefix: prefix, routes: routes + sharing.preflights(of: routes),
            documentation: Failure.documentation,
            failure: { failure, head in sharing.sharing(Failure.request(failure).response, with: head) })
    }

    /// Express takes a slash at the end of a path for none.
    private static func route<Kind: Endpoint>(
        _ endpoint: Kind, _ sharing: PageSharing, at alias: String?
    ) -> Route {
        Route(
            Kind.method, alias ?? Kind.path, accepts: Kind.accepts, hasOptionalSlash: Kind.hasOptionalSlash,
            documentation: alias == nil ? Kind.documentation : Kind.documentation.alias(of: Kind.path),
            handler: LimitFields.telling { request in
                do throws(Failure) {
                    return sharing.sharing(try await endpoint.answer(request), with: request.head)
                } catch {
                    return sharing.sharing(error.response, with: request.head)
                }
            })
    }
}

extension AppAPI {
    /// One endpoint of the app API. It throws what went wrong; the API words it.
    protocol Endpoint: Sendable {
        static var method: Method { get }
        static var path: String { get }
        static var accepts: AcceptedContent { get }
        /// Whether a slash at the end of the path makes no difference.
        static var hasOptionalSlash: Bool { get }
        static var documentation: RouteDocumentation { get }

        func answer(_ request: Request) async throws(Failure) -> Response
    }
}

extension AppAPI.Endpoint {
    static var accepts: AcceptedContent { .none }
    static var hasOptionalSlash: Bool { true }
}

extension Response {
    /// A JSON answer of this API. It names the encoding, as Express does, and is never kept by a cache.
    static func appJSON(_ status: Status, _ writer: JSONWriter, fields: ResponseFields = .notStored) -> Response {
        Response(status, contentType: "application/json; charset=utf-8", fields: fields, body: writer.bytes)
    }
}
