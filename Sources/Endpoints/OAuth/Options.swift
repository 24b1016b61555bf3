package import Identity

extension OAuth {
    /// What an operator decides about what backends and gateways ask.
    package struct Options: Sendable {
        /// Whose hosts may ask whether a request may pass without naming themselves.
        package var verifyNetworks = CallerNetworks([])
        /// The session cookie that lets a request pass; nil if none does.
        package var verifiedCookie: String?

        package init() {}
    }
}
