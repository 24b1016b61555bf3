import Crypto
package import JOSE
package import Text

/// An id token that somebody presents, up to the question for its key; everything here is a pure function of its parameters.
package struct IDTokenVerification: Sendable {
    /// `kid`: the key to look up among those of the provider, and nowhere else.
    package let keyID: String
    private let token: UnverifiedJWS
    private let digest: Digest
    private let provider: IdentityProvider

    /// Reads the token as far as it can be read before its signature is checked.
    package init(_ text: SecretString, from provider: IdentityProvider) throws(IDTokenRefusal) {
        let text = text.revealedText
        let token = try accepting { () throws(JOSEError) in try UnverifiedJWS.parse(text) }
        let algorithm = token.header.algorithm
        guard provider.algorithms.contains(algorithm) else {
            throw .algorithm(algorithm, accepted: provider.algorithms)
        }
        guard let keyID = token.header.keyID else { throw .unacceptable(.missingKeyID) }
        self.token = token
        self.keyID = keyID
        self.provider = provider
        let end = text.utf8.lastIndex(of: UInt8(ascii: ".")) ?? text.endIndex
        digest = SHA256.hash(Array(text.utf8[..<end]))
    }

    /// Checks the signature with a key that the provider has published under ``keyID``, and then reads the claims.
    /// - Parameter isFromPage: whether a web page presents the token.
    package func statement(
        signedWith key: JWK, nonce: SecretString?, isFromPage: Bool = false, now: Timestamp
    ) throws(IDTokenRefusal) -> IDTokenStatement {
        let verified = try accepting { () throws(JOSEError) in try token.verify(with: key, allowing: provider.algorithms) }
        let claims = try accepting { () throws(JOSEError) in try verified.claims() }
        return IDTokenStatement(
            token: verified, claims: claims, provider: provider, nonce: nonce, isFromPage: isFromPage, now: now)
    }

    /// The whole of ``IDTokenCheck`` from the signature on.
    package func verify(
        with key: JWK, nonce: SecretString?, isFromPage: Bool = false, now: Timestamp
    ) throws(IDTokenRefusal) -> VerifiedIDToken {
        let statement = try statement(signedWith: key, nonce: nonce, isFromPage: isFromPage, now: now)
        for check in IDTokenCheck.ofClaims { try statement.hold(check) }
        return try VerifiedIDToken(statement, digest: digest)
    }
}

extension VerifiedIDToken {
    private static let relayDomain = "@privaterelay.appleid.com"
    private static let longestProfileText = 1024

    /// The claims that are read are optional and never a reason to refuse: a broken one counts as absent.
    fileprivate init(_ statement: IDTokenStatement, digest: Digest) throws(IDTokenRefusal) {
        let (claims, provider) = (statement.claims, statement.provider)
        guard let subject = claims.subject, let issuedAt = claims.issuedAt, let expiresAt = claims.expiresAt else {
            throw .unacceptable(.missingClaim("sub"))
        }
        let email = claims["email"]?.stringValue.flatMap { try? EmailAddress($0) }
        let isVerified =
            claims.flag("email_verified") == true && email.map { provider.emailTrust.heeds($0) } ?? false
        self.init(
            provider: provider.id, subject: subject, audience: try statement.audience(), email: email,
            isEmailVerified: isVerified,
            isEmailAuthoritative: isVerified
                && email.map { provider.emailTrust.covers($0, hosted: claims["hd"]?.stringValue) } ?? false,
            isPrivateEmail: claims.flag("is_private_email") == true
                || email?.normalized.hasSuffix(Self.relayDomain) == true,
            name: Self.text("name", claims), pictureURL: Self.text("picture", claims), issuedAt: issuedAt, expiresAt: expiresAt,
            digest: digest, codeHash: Self.hash("c_hash", claims), accessTokenHash: Self.hash("at_hash", claims),
            authenticatedAt: Self.instant("auth_time", claims))
    }

    /// What is no text is the hash of nothing.
    private static func hash(_ name: String, _ claims: JWTClaims) -> String? {
        switch claims[name] {
        case nil, .null: nil
        case .string(let text): text
        default: ""
        }
    }

    private static func instant(_ name: String, _ claims: JWTClaims) -> Timestamp? {
        claims[name].flatMap { JWTClaims.numericDate($0) }
    }

    private static func text(_ name: String, _ claims: JWTClaims) -> String? {
        guard let text = claims[name]?.stringValue, (1...longestProfileText).contains(text.utf8.count) else { return nil }
        return text
    }
}

extension EmailTrust {
    /// Whether it counts at all that the provider calls an address verified. Else anybody whom such a provider lets state any address could
    /// make an account with somebody else's that looks proved, and stay in it when the owner comes.
    func heeds(_ email: EmailAddress) -> Bool {
        switch self {
        // It was the user's when Google verified it.
        case .hostedByGoogle: true
        case .never, .whenVerified, .domains: covers(email, hosted: nil)
        }
    }

    /// Whether a verified address is its user's today.
    /// - Parameter hosted: the domain that Google says it runs for the user (`hd`). It answers for addresses of that domain only: the address of an
    ///   account can be of any other, which whoever runs the domain may have given to somebody else.
    func covers(_ email: EmailAddress, hosted: String?) -> Bool {
        let domain = String(email.normalized.dropFirst(email.localPart.count + 1))
        switch self {
        case .never: return false
        case .whenVerified: return true
        case .hostedByGoogle: return domain == "gmail.com" || hosted.flatMap { Self.domain($0) } == domain
        case .domains(let domains): return domains.contains(domain)
        }
    }
}
