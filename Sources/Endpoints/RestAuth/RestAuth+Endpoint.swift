import HTTP
import Routing

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
