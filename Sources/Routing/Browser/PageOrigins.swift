/// Whose pages may act for their users: those of this installation, and those elsewhere that an operator trusts.
package struct PageOrigins: Sendable {
    /// Of this installation's own pages.
    package let own: WebOrigin?
    /// Of pages elsewhere.
    package let trusted: Set<WebOrigin>

    package init(own: WebOrigin?, trusted: Set<WebOrigin>) {
        self.own = own
        self.trusted = trusted
    }

    func owns(_ origin: WebOrigin) -> Bool {
        origin == own || trusted.contains(origin)
    }

    package var crossSiteRule: CrossSiteRule { CrossSiteRule(self) }
}
