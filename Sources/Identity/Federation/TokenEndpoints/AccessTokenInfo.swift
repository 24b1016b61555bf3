import Crypto
import JOSE
import Text

/// What Google says of an access token that somebody presents: whose it is, and to which app it was given.
///
/// An access token alone proves nothing: any app may have it. It says who the user is to us only when it was given to one of our own.
struct AccessTokenInfo: Sendable {
    /// How long Google's access tokens live at most: what is known of when one was issued.
    static let longestLife: Duration = .seconds(3600)

    private let members: JSONObject

    /// Nil for what is no JSON object.
    init?(parsing body: [UInt8]) {
        guard let members = (try? JSON.parse(body))?.objectValue else { return nil }
        self.members = members
    }

    /// - Parameter nonce: of the request. No access token has one, so there must be none, and no rule that demands one.
    func verifiedToken(
        by token: SecretString, from provider: IdentityProvider, nonce: SecretString?, isFromPage: Bool = false, now: Timestamp
    ) throws(IDTokenRefusal) -> VerifiedIDToken {
        let audience = try audience(provider)
        let expiresAt = try expiry(now)
        let subject = try subject()
        guard nonce == nil, provider.nonceRule.presence == .bothOrNeither else { throw .nonce(.notInToken) }
        guard !isFromPage else { throw .nonce(.notSentByPage) }
        let email = members["email"]?.stringValue.flatMap { try? EmailAddress($0) }
        let isVerified = email != nil && flag("email_verified")
        return VerifiedIDToken(
            provider: provider.id, subject: subject, audience: audience, email: email, isEmailVerified: isVerified,
            isEmailAuthoritative: isVerified && email.map { provider.emailTrust.covers($0, hosted: nil) } ?? false,
            isPrivateEmail: false, name: nil, pictureURL: nil, issuedAt: min(now, expiresAt.adding(.zero - Self.longestLife)),
            expiresAt: expiresAt, digest: SHA256.hash(token.revealedBytes), codeHash: nil)
    }

    /// `aud` and, if it is there, `azp` are both ours.
    private func audience(_ provider: IdentityProvider) throws(IDTokenRefusal) -> String {
        guard let audience = members["aud"]?.stringValue else { throw .unacceptable(.missingClaim("aud")) }
        guard let ours = provider.clientIDs.first(where: { $0.hasSameBytes(as: audience) }) else {
            throw .audience([audience], accepted: provider.clientIDs)
        }
        switch members["azp"] {
        case nil: break
        case .string(let presenter):
            guard provider.clientIDs.contains(where: { $0.hasSameBytes(as: presenter) }) else {
                throw .presenter(presenter, accepted: provider.clientIDs)
            }
        default: throw .unacceptable(.invalidClaim("azp"))
        }
        return ours
    }

    private func expiry(_ now: Timestamp) throws(IDTokenRefusal) -> Timestamp {
        let seconds: Int64? =
            switch members["exp"] {
            case .integer(let number): number
            // As Google writes it.
            case .string(let text): Int64(text)
            default: nil
            }
        guard let seconds, (0...Self.lastSecond).contains(seconds) else { throw .unacceptable(.missingClaim("exp")) }
        let time = Timestamp(seconds: seconds)
        guard now < time.adding(IDTokenCheck.leeway) else { throw .expired(at: time, now: now) }
        return time
    }

    /// 9999-12-31T23:59:59Z.
    private static let lastSecond: Int64 = 253_402_300_799

    private func subject() throws(IDTokenRefusal) -> String {
        guard let subject = members["sub"]?.stringValue else { throw .unacceptable(.missingClaim("sub")) }
        guard (1...JWTClaims.maximumSubjectByteCount).contains(subject.utf8.count),
            subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw .unacceptable(.invalidClaim("sub")) }
        return subject
    }

    private func flag(_ name: String) -> Bool {
        members[name] == .bool(true) || members[name] == .string("true")
    }
}
