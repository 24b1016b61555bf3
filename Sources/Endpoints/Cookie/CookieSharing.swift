import HTTP

/// Lets the scripts of trusted pages elsewhere read this door's answers (Fetch §3.2); to all others it says nothing, and they read
/// nothing (cookie session contract §4.5).
struct CookieSharing: Sendable {
    private static let preflightAge = "600"

    private let trusted: Set<WebOrigin>

    init(_ policy: CookiePolicy) {
        trusted = policy.trusted
    }

    /// The answer, with what a trusted page's browser wants to see.
    func sharing(_ response: Response, with head: RequestHead) -> Response {
        guard !trusted.isEmpty else { return response }
        var response = response
        response.fields.append("Vary", "Origin")
        if let origin = trustedOrigin(of: head) {
            response.fields.append("Access-Control-Allow-Origin", origin.text)
            response.fields.append("Access-Control-Allow-Credentials", "true")
        }
        return response
    }

    /// What browsers ask before they let a page of another origin send more than a form could. No route without trusted pages.
    func preflights(of endpoints: [any CookieEndpoint]) -> [Route] {
        guard !trusted.isEmpty else { return [] }
        var methods: [String: [String]] = [:]
        for endpoint in endpoints {
            let kind = type(of: endpoint)
            methods[kind.path, default: []].append(kind.method.name)
        }
        return methods.sorted { $0.key < $1.key }.map { path, names in
            let allowed = names.joined(separator: ", ")
            return Route(.options, path, documentation: Self.documentation(of: path)) { request in
                preflight(request.head, allowed)
            }
        }
    }

    private static func documentation(of path: String) -> RouteDocumentation {
        RouteDocumentation(
            "What the scripts of pages elsewhere may do here",
            parameters: path.hasSuffix("{id}") ? [.path("id", .string, "Of any session.")] : [],
            responses: [.empty(.noContent, "The fields say it, where the page is trusted.")])
    }

    private func preflight(_ head: RequestHead, _ methods: String) -> Response {
        var response = sharing(.empty(.noContent), with: head)
        guard trustedOrigin(of: head) != nil else { return response }
        response.fields.append("Access-Control-Allow-Methods", methods)
        response.fields.append("Access-Control-Allow-Headers", "Content-Type, X-CSRF-Token, X-Device-ID, X-Requested-With")
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
