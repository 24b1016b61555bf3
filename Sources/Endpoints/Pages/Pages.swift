import HTTP
package import Routing

/// The pages behind the links in mails: a new password, a confirmed address, another one, a change undone. They have no script and need no cookie: who has the code may
/// do what it is for, and nobody else.
///
/// Where a request comes from is not looked at: the code is in no page of another site, and the pages' own `Referrer-Policy` makes a
/// browser send `Origin: null`.
package enum Pages {
    package static let name = "pages"

    /// - Parameter signInPage: where people sign in; nil where they cannot.
    package static func make(_ services: Services, prefix: String, signInPage: String?) -> RouteGroup {
        func route<Kind: Endpoint>(_ endpoint: Kind) -> Route { Self.route(endpoint, services.look, signInPage) }
        return RouteGroup(
            name: name, prefix: prefix,
            routes: [
                route(ShowPasswordForm(services: services)), route(SetPassword(services: services)),
                route(ShowEmailForm()), route(ConfirmEmail(services: services)),
                route(ShowAddressForm(services: services)), route(ChangeAddress(services: services)),
                route(ShowUndoForm(services: services)), route(UndoChange(services: services)),
            ],
            documentation: PageFailure.documentation,
            failure: { failure, head in
                PageFailure.request(failure).response(PageWords(head, services.look, signInPage: signInPage))
            })
    }

    private static func route<Kind: Endpoint>(_ endpoint: Kind, _ look: PageLook, _ signInPage: String?) -> Route {
        Route(
            Kind.method, Kind.path, accepts: Kind.accepts, documentation: Kind.documentation,
            handler: LimitFields.telling { request in
                let words = PageWords(request.head, look, signInPage: signInPage)
                do throws(PageFailure) {
                    return try await endpoint.answer(request, words)
                } catch {
                    return error.response(words)
                }
            })
    }
}

extension Pages {
    /// One page. It throws why it cannot be shown; the API makes a page of that.
    protocol Endpoint: Sendable {
        static var method: Method { get }
        static var path: String { get }
        static var accepts: AcceptedContent { get }
        static var documentation: RouteDocumentation { get }

        func answer(_ request: Request, _ words: PageWords) async throws(PageFailure) -> Response
    }
}

extension Pages.Endpoint {
    static var accepts: AcceptedContent { method == .post ? .form : .none }
}
