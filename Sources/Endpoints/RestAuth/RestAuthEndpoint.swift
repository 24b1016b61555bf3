import HTTP
import Routing

/// One endpoint of the rest-auth API. It throws what went wrong; the API words it.
protocol RestAuthEndpoint: Sendable {
    var method: Method { get }
    /// Behind the mount, with a slash at its end.
    var path: String { get }
    var accepts: AcceptedContent { get }
    var documentation: RouteDocumentation { get }

    func answer(_ request: Request, _ words: RestAuthWords) async throws(RestAuthError) -> Response
}

extension RestAuthEndpoint {
    var method: Method { .post }
    var accepts: AcceptedContent { method == .get ? .none : .jsonOrAnyForm }
}
