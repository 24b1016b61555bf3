import HTTP
import Routing

/// One endpoint of the cookie session. It throws what went wrong; the API words it.
protocol CookieEndpoint: Sendable {
    static var method: Method { get }
    static var path: String { get }
    static var accepts: AcceptedContent { get }
    static var documentation: RouteDocumentation { get }

    func answer(_ request: Request) async throws(CookieError) -> Response
}

extension CookieEndpoint {
    static var accepts: AcceptedContent { .none }
}
