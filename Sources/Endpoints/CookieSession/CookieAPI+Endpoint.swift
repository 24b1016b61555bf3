import HTTP
import Routing

extension CookieAPI {
    /// One endpoint of the cookie session. It throws what went wrong; the API words it.
    protocol Endpoint: Sendable {
        static var method: Method { get }
        static var path: String { get }
        static var accepts: AcceptedContent { get }
        static var documentation: RouteDocumentation { get }

        func answer(_ request: Request) async throws(Failure) -> Response
    }
}

extension CookieAPI.Endpoint {
    static var accepts: AcceptedContent { .none }
}
