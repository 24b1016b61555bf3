import HTTP

/// Keeps pages of other sites from using this door's cookies and from signing their visitors in. It stands in for Django's CSRF token,
/// which the reference client does not send (contract §2, [D]).
enum RestAuthOrigin {
    /// - Throws: 403 when a browser says that a page of another site asks for a change.
    static func check(_ head: RequestHead, _ options: RestAuthOptions) throws(RestAuthError) {
        switch head.method {
        case .get, .head, .options: return
        default: guard isOwn(head, options) else { throw .detail(.forbidden, .crossSite) }
        }
    }

    /// Whether a `GET` that changes something may: a native client says nothing, and a browser must say that the page is ours, so that
    /// no image, link or prefetch signs anybody out (contract §1, [D]).
    static func permitsChangeByGet(_ head: RequestHead) -> Bool {
        let sites = head.values(named: "sec-fetch-site")
        return sites.allSatisfy { $0 == "same-origin" }
    }

    private static func isOwn(_ head: RequestHead, _ options: RestAuthOptions) -> Bool {
        let sites = head.values(named: "sec-fetch-site")
        guard sites.isEmpty else { return sites.allSatisfy { $0 == "same-origin" || $0 == "none" } }
        let origins = head.values(of: .origin)
        guard !origins.isEmpty else { return true }
        return origins.allSatisfy { origin in WebOrigin(origin).map { $0 == WebOrigin(ofURL: options.site) } ?? false }
    }
}
