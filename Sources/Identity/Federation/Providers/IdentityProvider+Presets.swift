/// The two providers that everybody has. What is pinned here is what their tokens say, whatever their discovery documents do.
extension IdentityProvider {
    /// Sign in with Apple. Since 2025 there are two issuers, with the same keys.
    package static func apple(clientIDs: [String]) -> IdentityProvider {
        IdentityProvider(
            id: .apple, issuers: ["https://appleid.apple.com", "https://account.apple.com"],
            keySetURL: "https://appleid.apple.com/auth/keys", clientIDs: clientIDs,
            nonceRule: NonceRule(form: .plainOrHashed), emailTrust: .whenVerified)
    }

    /// Sign in with Google, which writes its issuer in two ways.
    package static func google(clientIDs: [String]) -> IdentityProvider {
        IdentityProvider(
            id: .google, issuers: ["https://accounts.google.com", "accounts.google.com"],
            keySetURL: "https://www.googleapis.com/oauth2/v3/certs", clientIDs: clientIDs, emailTrust: .hostedByGoogle)
    }
}
