import HTTP
import Routing

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
