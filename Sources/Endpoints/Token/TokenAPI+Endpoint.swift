import HTTP
import Routing

extension TokenAPI {
    /// One verb of the token resource. It throws what went wrong; the API words it.
    protocol Endpoint: Sendable {
        static var method: Method { get }
        static var accepts: AcceptedContent { get }
        static var documentation: RouteDocumentation { get }

        func answer(_ request: Request) async throws(Failure) -> Response
    }
}

extension TokenAPI.Endpoint {
    static var accepts: AcceptedContent { .none }
}
