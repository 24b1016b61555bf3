package import HTTP

/// Lets the scripts of trusted pages elsewhere read an API's answers (Fetch §3.2); to all others it says nothing, and they read
/// nothing.
package struct PageSharing: Sendable {
    private static let preflightAge = "600"
    /// Those of an answer that scripts may read beyond the few that they always may (Fetch §3.2.4).
    private static let exposedFields =
        "RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, WWW-Authenticate, X-Request-Id"

    private let trusted: Set<WebOrigin>
    private let requestFields: String

    /// - Parameter requestFields: what scripts may send beyond what a form could, as `Access-Control-Allow-Headers` lists it.
    package init(_ origins: PageOrigins, requestFields: String) {
        trusted = origins.trusted
        self.requestFields = requestFields
    }

    /// The answer, with what a trusted page's browser wants to see.
    /// - Parameter head: of the request; nil when none could be read.
    package func sharing(_ response: Response, with head: RequestHead?) -> Response {
        guard let head, !trusted.isEmpty else { return response }
        var response = response
        response.fields.append("Vary", "Origin")
        if let origin = trustedOrigin(of: head) {
            response.fields.append("Access-Control-Allow-Origin", origin.text)
            response.fields.append("Access-Control-Allow-Credentials", "true")
            response.fields.append("Access-Control-Expose-Headers", Self.exposedFields)
        }
        return response
    }

    /// What browsers ask before they let a page of another origin send more than a form could. No route without trusted pages.
    package func preflights(of routes: [Route]) -> [Route] {
        guard !trusted.isEmpty else { return [] }
        let paths = Dictionary(grouping: routes, by: \.pattern)
        return paths.sorted { $0.key < $1.key }.map { path, routes in
            let allowed = routes.map(\.method.name).joined(separator: ", ")
            return Route(
                .options, path, hasOptionalSlash: routes.contains(where: \.hasOptionalSlash),
                documentation: Self.documentation(of: path)
            ) { request in
                preflight(request.head, allowed)
            }
        }
    }

    private static func documentation(of path: String) -> RouteDocumentation {
        let names = path.split(separator: "/").filter { $0.first == "{" }.map { String($0.dropFirst().dropLast()) }
        return RouteDocumentation(
            "What the scripts of pages elsewhere may do here",
            parameters: names.map { .path($0, .string, "Any; it is not looked at.") },
            responses: [.empty(.noContent, "The fields say it, where the page is trusted.")])
    }

    private func preflight(_ head: RequestHead, _ methods: String) -> Response {
        var response = sharing(.empty(.noContent), with: head)
        guard trustedOrigin(of: head) != nil else { return response }
        response.fields.append("Access-Control-Allow-Methods", methods)
        response.fields.append("Access-Control-Allow-Headers", requestFields)
        response.fields.append("Access-Control-Max-Age", Self.preflightAge)
        return response
    }

    private func trustedOrigin(of head: RequestHead) -> WebOrigin? {
        let origins = head.values(of: .origin)
        guard origins.count == 1, let origin = WebOrigin(origins[0]), origin.text == origins[0], trusted.contains(origin) else {
            return nil
        }
        return origin
    }
}
