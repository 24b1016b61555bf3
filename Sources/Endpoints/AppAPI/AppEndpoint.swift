import HTTP

/// One endpoint of the app API. It throws what went wrong; the door words it.
protocol AppEndpoint: Sendable {
    static var method: Method { get }
    static var path: String { get }
    static var accepts: AcceptedContent { get }
    static var documentation: RouteDocumentation { get }

    func answer(_ request: Request) async throws(AppError) -> Response
}

extension AppEndpoint {
    static var accepts: AcceptedContent { .none }
}
