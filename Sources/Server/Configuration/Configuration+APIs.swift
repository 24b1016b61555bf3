extension Configuration {
    /// How the client protocols are mounted.
    package struct APIs: Sendable {
        package var open = APISelection.all
        /// Whether the app API believes a client who somebody is at a provider, without a proof.
        package var believesUnprovedIdentities = false
        /// Whether who signs up in the app API gets a mail to confirm the address.
        package var mailsVerification = true
        /// Whether each refresh in the app API gives a new refresh token, whatever the app asks for.
        package var rotatesRefreshTokens = false
        private var prefixes: [String: String] = [:]

        package init() {}

        /// What the paths of an API start with: empty, or segments such as `/api/v1`.
        package subscript(prefixOf api: String) -> String {
            get { prefixes[api] ?? "" }
            set { prefixes[api] = newValue }
        }
    }
}
