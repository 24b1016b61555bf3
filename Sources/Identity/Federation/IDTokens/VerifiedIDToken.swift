package import Crypto
package import Text

/// What a provider has said of a user in an id token for us, all checks passed: made by ``IDTokenVerification``, and by `AccessTokenInfo`
/// where the provider was asked instead.
package struct VerifiedIDToken: Equatable, Sendable {
    package let provider: ProviderID
    /// `sub`: with the provider the only key of the identity. Printable ASCII, 1 to 255 bytes.
    package let subject: String
    /// Which of our client ids the token is for.
    package let audience: String
    /// Nil also for one that no account could have.
    package let email: EmailAddress?
    /// The provider says so.
    package let isEmailVerified: Bool
    /// Verified, and by the provider's rule (`EmailTrust`) the mailbox is the user's today.
    package let isEmailAuthoritative: Bool
    /// An address of Apple's private relay, which belongs to this user and team alone.
    package let isPrivateEmail: Bool
    package let name: String?
    package let pictureURL: String?
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    /// SHA-256 of what the signature covers, or of the access token, by which a second use is recognised. The signature itself is left out: ECDSA has two
    /// valid ones for each that somebody made.
    package let digest: Digest
    /// `c_hash`: of the authorization code that came along (OpenID Connect Core §3.3.2.11).
    package let codeHash: String?
    /// `at_hash`: of the access token that came along (§3.3.2.11).
    package var accessTokenHash: String?
    /// `auth_time`: when the user proved who they are (OpenID Connect Core §2).
    package var authenticatedAt: Timestamp?
    /// That of this use, if it was the first: with it the use can be undone.
    package var replayMark: ReplayMark?
}

/// Who has made the mark that a proof is used: one request of all. Only the maker may take the mark away, and only as long as nobody else has been let in by
/// the same proof.
package struct ReplayMark: Equatable, Sendable {
    package static let randomByteCount = 8

    /// In decimal digits.
    let text: String

    /// `random` must be `randomByteCount` bytes.
    package init(random: [UInt8]) {
        precondition(random.count == Self.randomByteCount, "a mark is 8 bytes")
        text = String(random.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
