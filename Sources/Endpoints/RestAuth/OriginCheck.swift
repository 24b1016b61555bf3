import HTTP
import Routing

extension RestAuth {
    /// Keeps pages of other sites from using this API's cookies and from signing their visitors in. It stands in for Django's CSRF token,
    /// which the reference client does not send. Whose pages may is what the cookie API says too.
    struct OriginCheck: Sendable {
        private let rule: CrossSiteRule

        init(_ services: Services) {
            rule = services.pages.crossSiteRule
        }

        /// - Throws: 403 when a browser says that a page of another site asks for a change.
        func check(_ head: RequestHead) throws(Failure) {
            switch head.method {
            case .get, .head, .options: return
            default: guard isOwn(head) else { throw .detail(.forbidden, .crossSite) }
            }
        }

        /// Whether a `GET` that changes something may: a native client says nothing, and a browser must say that the page is ours, so that
        /// no image, link or prefetch signs anybody out.
        static func permitsChangeByGet(_ head: RequestHead) -> Bool {
            let sites = head.values(named: "sec-fetch-site")
            return sites.allSatisfy { $0 == "same-origin" }
        }

        private func isOwn(_ head: RequestHead) -> Bool {
            if rule.verdict(head) != .refused { return true }
            // Django has its clients over https send the page they act for; without anything better that is as good as an origin.
            let pages = head.values(named: "referer")
            return pages.count == 1 && head.values(of: .origin).isEmpty && head.values(named: "sec-fetch-site").isEmpty
                && rule.trusts(pageAt: pages[0])
        }
    }
}
