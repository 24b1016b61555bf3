package import Logging
import Text

/// What providers are asked when somebody signs in with something else than an id token: an access token, or an authorization code.
package struct TokenEndpoints: Sendable {
    /// As whom Apple's codes are exchanged that come without an id token, which would say it.
    package struct AppleClient: Sendable {
        let service: AppleTokenService
        let id: String
        /// That of the app's authorization request; nil for those of native apps, which have none.
        let redirectURI: String?

        package init(service: AppleTokenService, id: String, redirectURI: String?) {
            self.service = service
            self.id = id
            self.redirectURI = redirectURI
        }
    }

    /// Nobody is asked.
    package static let none = TokenEndpoints(google: nil, apple: nil, logger: .disabled)

    let google: GoogleTokenService?
    private let apple: AppleClient?
    let logger: Logger
    /// Questions that one client address may have under way on a loop.
    let callsPerAddress: Int

    package init(google: GoogleTokenService?, apple: AppleClient?, callsPerAddress: Int = 4, logger: Logger) {
        self.callsPerAddress = callsPerAddress
        self.google = google
        self.apple = apple
        self.logger = logger
    }

    /// As whom we ask for codes of a provider; nil where they cannot be exchanged.
    func clientID(at provider: ProviderID) -> String? {
        switch provider {
        case .google: google?.clientID
        case .apple: apple?.id
        default: nil
        }
    }

    /// Nil where codes of that provider cannot be exchanged.
    /// - Parameter redirectURI: that the code was asked for with; nil for the configured one.
    func exchange(
        _ code: SecretString, of provider: ProviderID, verifier: SecretString?, redirectURI: String? = nil
    ) async throws(ProviderCallFailure) -> CodeTokens? {
        switch provider {
        case .google:
            guard let google, google.exchangesCodes else { return nil }
            return try await google.exchange(code, verifier: verifier, redirectURI: redirectURI)
        case .apple:
            guard let apple else { return nil }
            let tokens = try await apple.service.exchange(
                code, of: apple.id, redirectURI: redirectURI ?? apple.redirectURI)
            return CodeTokens(idToken: tokens.idToken, accessToken: tokens.accessToken, refreshToken: tokens.refreshToken)
        default: return nil
        }
    }
}
