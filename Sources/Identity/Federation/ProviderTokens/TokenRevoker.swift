package import Outbound
import Text

/// Revokes the tokens of those providers whose revocation endpoint is known and may be asked.
package struct TokenRevoker: Sendable {
    private let apple: AppleTokenService?
    private let googleRevokeURL: String
    private let https: HTTPSClient

    /// - Parameter apple: nil while there is no key to ask Apple with; what waits for it goes on waiting.
    package init(apple: AppleTokenService?, googleRevokeURL: String, https: HTTPSClient) {
        self.apple = apple
        self.googleRevokeURL = googleRevokeURL
        self.https = https
    }

    /// The providers that can be asked.
    var providers: [ProviderID] {
        apple == nil ? [.google] : [.apple, .google]
    }

    /// Revokes a token. One that the provider no longer knows is revoked.
    func revoke(_ token: SecretString, of owner: ProviderTokenOwner) async throws(ProviderCallFailure) {
        do throws(ProviderCallFailure) {
            switch owner.provider {
            case .apple:
                guard let apple else { throw .unreachable("no key to ask Apple with") }
                try await apple.revoke(token, of: owner.clientID)
            default:
                var call = ProviderCall(url: googleRevokeURL)
                call.form.append("token", token)
                _ = try await call.send(by: https)
            }
        } catch .refused(.invalidGrant), .refused(.invalidToken) {
            return
        }
    }
}
