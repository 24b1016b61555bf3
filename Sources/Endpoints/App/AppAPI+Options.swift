extension AppAPI {
    /// What an installation has decided of the app API.
    package struct Options: Sendable {
        /// Where our own pages are: the issuer, and the prefix of their paths.
        package var pages = "http://localhost:8080"
        /// The team's own page for a new password, with `{code}` in it; nil for ours.
        package var explicitResetLink: String?
        /// The team's own page that confirms an address, with `{code}` in it; nil for ours.
        package var explicitVerificationLink: String?
        /// The team's own page that confirms a new address, with `{code}` in it; nil for ours.
        package var explicitAddressLink: String?
        /// Whether a session of any age may delete its account.
        package var deletesInOldSessions = false

        /// Whether somebody who signs up gets a mail to confirm the address.
        package var mailsVerification = true
        /// Whether the client's word for who somebody is at a provider is enough: for demonstrations, never for the public.
        package var believesUnprovedIdentities = false

        package init() {}

        package var resetLink: String { explicitResetLink ?? "\(pages)\(PagePath.password)?code={code}" }

        package var verificationLink: String { explicitVerificationLink ?? "\(pages)\(PagePath.email)?code={code}" }

        package var addressLink: String { explicitAddressLink ?? "\(pages)\(PagePath.address)?code={code}" }

        /// Whether a mail of this API leads to a page of ours.
        package var needsPages: Bool { [explicitResetLink, explicitVerificationLink, explicitAddressLink].contains(nil) }
    }
}
