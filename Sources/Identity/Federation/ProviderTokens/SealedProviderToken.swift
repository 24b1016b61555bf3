package import Crypto
package import Text

/// Whose token of a provider it is, and for which of our apps: the key under which it is stored.
package struct ProviderTokenOwner: Hashable, Sendable {
    package let provider: ProviderID
    /// The user's `sub` at the provider.
    package let subject: String
    /// Our client id at the provider: with Apple a bundle id or a Services ID.
    package let clientID: String

    package init(provider: ProviderID, subject: String, clientID: String) {
        self.provider = provider
        self.subject = subject
        self.clientID = clientID
    }

    init(_ verifiedToken: VerifiedIDToken) {
        self.init(provider: verifiedToken.provider, subject: verifiedToken.subject, clientID: verifiedToken.audience)
    }
}

/// A provider's refresh token as it is stored: encrypted with AES-256-GCM under a key that is derived from the master key, and bound
/// to its owner, so that nobody with access to the database can put one user's token in the place of another's.
///
/// One is sealed for each sign-in that brings a code, which would take centuries to come near the bound of random nonces.
package struct SealedProviderToken: Equatable, Sendable {
    /// As `Sealer` makes it.
    package let sealed: [UInt8]

    /// As it was stored.
    package init(sealed: [UInt8]) {
        self.sealed = sealed
    }

    package init(sealing token: SecretString, of owner: ProviderTokenOwner, with masterKey: MasterKey) throws(CryptoError) {
        sealed = try Sealer(masterKey, .providerTokens).seal(token.revealedBytes, boundTo: Self.context(owner))
    }

    /// Throws `authenticationFailed` for other master keys, another owner, or damaged bytes.
    package func open(_ owner: ProviderTokenOwner, with masterKey: MasterKey) throws(CryptoError) -> SecretString {
        let opened = try Sealer(masterKey, .providerTokens).open(sealed, boundTo: Self.context(owner))
        return SecretString(String(decoding: opened.revealedBytes, as: UTF8.self))
    }

    private static func context(_ owner: ProviderTokenOwner) -> [UInt8] {
        Sealer.context([owner.provider.text, owner.subject, owner.clientID])
    }
}
