import HTTP
import Routing

/// One verb of the token resource. It throws what went wrong; the API words it.
protocol TokenEndpoint: Sendable {
    static var method: Method { get }
    static var accepts: AcceptedContent { get }
    static var documentation: RouteDocumentation { get }

    func answer(_ request: Request) async throws(TokenError) -> Response
}

extension TokenEndpoint {
    static var accepts: AcceptedContent { .none }
}
