package import Text

/// A user's account at a provider. Provider and subject are its key; everything else may change there at any time.
package struct ExternalIdentity: Equatable, Sendable {
    /// In bytes (OpenID Connect Core §2).
    package static let maximumSubjectLength = 255

    package let provider: ProviderID
    /// The provider's name for the person: the `sub` of its id tokens, and no secret.
    package let subject: String
    package let userID: UserID
    /// Which of our apps it was last used with: one of our client ids at the provider.
    package let audience: String
    /// The address that the provider last told, in its spelling: to show, and for nothing else.
    package let email: String?
    package let isEmailVerified: Bool
    /// An address that the provider forwards mail from, made for this user and us.
    package let isPrivateEmail: Bool
    package let createdAt: Timestamp
    package let lastUsedAt: Timestamp
}
