package import HTTP

/// Whether a request that changes something was made by a page that may make it, as far as its fields tell. A browser sends them by itself and lets no page forge them; what is not a browser has no cookies to be misused.
package struct CrossSiteRule: Sendable {
    /// Whose request it is, and so what it has to prove.
    package enum Verdict: Equatable, Sendable {
        /// Made by a page of another site, or one that hides where it comes from.
        case refused
        /// Made by no browser.
        case native
        /// Made by a script of a page of ours, in a way that no form of any page can.
        case script
        /// Made by a page of ours, perhaps by a form: who has a session has to prove that with its form token too.
        case form
    }

    private let pages: PageOrigins

    package init(_ origins: PageOrigins) {
        pages = origins
    }

    /// Whether a URL is of a page that may act for its users.
    package func trusts(pageAt url: String) -> Bool {
        WebOrigin(ofURL: url).map { pages.owns($0) } ?? false
    }

    /// Judges by `Sec-Fetch-Site` and `Origin`; without either, by what else only browsers send.
    package func verdict(_ head: RequestHead) -> Verdict {
        let (sites, origins) = (head.values(named: "sec-fetch-site"), head.values(of: .origin))
        guard sites.count <= 1, origins.count <= 1 else { return .refused }
        let origin = origins.first.flatMap { text in WebOrigin(text).flatMap { $0.text == text ? $0 : nil } }
        if let site = sites.first, !accepts(site, from: origin) { return .refused }
        if !origins.isEmpty {
            guard let origin, pages.owns(origin) else { return .refused }
        } else if sites.isEmpty {
            guard head.hasBrowserMarks else { return .native }
            // An old browser: it asks before it sends this for a page of another site.
            return head.hasScriptMarks && head.isJSON ? .script : .refused
        }
        return head.mayBeForm ? .form : .script
    }

    /// What the Fetch Metadata specification (§2.3) has the browser say of the two sites.
    private func accepts(_ site: String, from origin: WebOrigin?) -> Bool {
        switch site {
        case "same-origin", "none": true
        case "same-site", "cross-site": origin.map { pages.trusted.contains($0) } ?? false
        default: false
        }
    }
}

extension RequestHead {
    /// Whether the request has what only browsers send.
    fileprivate var hasBrowserMarks: Bool {
        (0..<fieldCount).contains { index in
            let name = field(at: index).name.lowercased()
            return name == "referer" || name.hasPrefix("sec-")
        }
    }

    /// Fields that no form can set.
    fileprivate var hasScriptMarks: Bool {
        !values(named: "x-requested-with").isEmpty || !values(named: "x-csrf-token").isEmpty
    }

    fileprivate var isJSON: Bool {
        if case .json = ContentType(of: self) { true } else { false }
    }

    /// Whether a form could have made the request: it has one of the three content types of forms (HTML §4.10.18.6), or takes the
    /// user to another page.
    fileprivate var mayBeForm: Bool {
        guard method == .post else { return false }
        if values(named: "sec-fetch-mode").contains("navigate") { return true }
        return switch ContentType(of: self) {
        case .form, .multipart, .unsupported: true
        case .json, .securityEvent, .absent: false
        }
    }
}
