import Crypto
import Postgres
import Text

@testable import Identity

/// A proof as the verifier would give it for a token that has passed every check.
struct ProviderProof: Sendable {
    var provider = ProviderID.google
    var subject = "112233445566778899000"
    var audience = "app.town.example"
    var email: String? = "anna@gmail.com"
    var isEmailVerified = true
    var isEmailAuthoritative = true
    var isPrivateEmail = false
    var name: String?
    var pictureURL: String?
    var issuedAt = Sample.now
    var codeHash: String?

    func token() throws -> VerifiedIDToken {
        VerifiedIDToken(
            provider: provider, subject: subject, audience: audience, email: try email.map { try EmailAddress($0) },
            isEmailVerified: isEmailVerified, isEmailAuthoritative: isEmailAuthoritative, isPrivateEmail: isPrivateEmail,
            name: name, pictureURL: pictureURL, issuedAt: issuedAt, expiresAt: issuedAt.adding(.seconds(600)),
            digest: SHA256.hash(subject), codeHash: codeHash)
    }

    static func google(_ subject: String = "112233445566778899000", email: String? = "anna@gmail.com") -> ProviderProof {
        ProviderProof(subject: subject, email: email)
    }

    static func apple(_ subject: String = "001234.abcdef.0987", email: String? = "anna@gmail.com") -> ProviderProof {
        ProviderProof(provider: .apple, subject: subject, email: email)
    }

    /// Apple's, for somebody who hides the address.
    static func relay(_ subject: String = "001234.abcdef.0987", email: String = "x7k2p9@privaterelay.appleid.com")
        -> ProviderProof
    {
        ProviderProof(provider: .apple, subject: subject, email: email, isPrivateEmail: true)
    }

    /// Of an address that the provider has verified once and does not answer for.
    func merelyVerified() -> ProviderProof {
        var verifiedToken = self
        verifiedToken.isEmailAuthoritative = false
        return verifiedToken
    }

    func unverified() -> ProviderProof {
        var verifiedToken = merelyVerified()
        verifiedToken.isEmailVerified = false
        return verifiedToken
    }
}

/// What providers' proofs are good for, in short.
extension Copy {
    /// Signs in with a proof.
    func signIn(
        _ verifiedToken: ProviderProof, name: String? = nil, claimedEmail: String? = nil
    ) async throws -> (member: Member, isNew: Bool) {
        let authentication = try await parts.accounts.authenticate(
            identity: try verifiedToken.token(), displayName: name, claimedEmail: claimedEmail, client: parts.app,
            caller: Self.caller
        ).completed()
        return (try await begin(authentication), authentication.isNew)
    }

    func link(_ verifiedToken: ProviderProof, to member: Member) async throws {
        try await parts.accounts.link(try verifiedToken.token(), to: member.id, session: member.sessionID, caller: Self.caller)
    }

    func unlink(_ provider: ProviderID, from member: Member) async throws {
        try await parts.accounts.unlink(provider, from: member.id, session: member.sessionID, caller: Self.caller)
    }

    func identities(of id: UserID) async throws -> [ExternalIdentity] {
        try await parts.accounts.identities(of: id)
    }

    func user(_ id: UserID) async throws -> User {
        try await parts.accounts.user(id)
    }

    /// Makes a user's address one that the user has shown to own.
    func verifyEmail(of id: UserID) async throws {
        _ = try await parts.postgres.query(Self.verification, [.uuid(id.description)])
    }
}
