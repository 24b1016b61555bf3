import Crypto
import JOSE
package import Text

/// The checks of an id token, in the order in which they are made: first the form, then the signature, and the claims only after it.
///
/// OpenID Connect Core §3.1.3.7, RFC 8725, and what Apple and Google say of theirs.
package enum IDTokenCheck: String, CaseIterable, Sendable {
    /// At most 16 KiB, three parts of strict base64url, an unambiguous header without extensions (RFC 7515 §5.2).
    case form
    /// `alg` is one of the provider's. It is never the token's choice.
    case algorithm
    /// `kid` is there and names one of the provider's keys. A key or the address of one in the header is not looked at.
    case key
    case signature
    /// An unambiguous JSON object, whose registered claims are of the right types (RFC 7519 §4).
    case payload
    /// `typ` is JWT if it is there (RFC 8725 §3.11).
    case type
    case issuer
    case audience
    /// `azp` is one of our client ids if it is there; with several audiences it must be.
    case presenter
    /// `exp`, `nbf` and `iat`.
    case times
    case subject
    case nonce

    /// Clocks may differ by so much, in both directions.
    package static let leeway = Duration.seconds(60)
    /// A token that was issued longer ago is refused even if it has not expired.
    package static let maximumAge = Duration.seconds(86_400)

    /// Those that can be made when the signature holds, each by itself.
    package static let ofClaims: [IDTokenCheck] = [.type, .issuer, .audience, .presenter, .times, .subject, .nonce]
}

/// A token whose signature holds, and what it is held against.
package struct IDTokenStatement: Sendable {
    let token: VerifiedJWS
    let claims: JWTClaims
    let provider: IdentityProvider
    let nonce: SecretString?
    /// A page's id token may have been taken from elsewhere; only a nonce ties it to the attempt of this browser.
    let isFromPage: Bool
    let now: Timestamp

    /// - Throws: what is wrong; the checks before those of claims have been made by then and hold.
    package func hold(_ check: IDTokenCheck) throws(IDTokenRefusal) {
        switch check {
        case .form, .algorithm, .key, .signature, .payload: return
        case .type: try accepting { () throws(JOSEError) in try token.requireTypeIfPresent("JWT") }
        case .issuer: try checkIssuer()
        case .audience: _ = try audience()
        case .presenter: try checkPresenter()
        case .times: try checkTimes()
        case .subject: _ = try accepting { () throws(JOSEError) in try claims.require(\.subject, "sub") }
        case .nonce: try checkNonce()
        }
    }

    private func checkIssuer() throws(IDTokenRefusal) {
        let issuer = try accepting { () throws(JOSEError) in try claims.require(\.issuer, "iss") }
        guard provider.issuers.contains(where: { $0.hasSameBytes(as: issuer) }) else {
            throw .issuer(issuer, accepted: provider.issuers)
        }
    }

    /// Which of our client ids the token is for: the first configured one that it names.
    func audience() throws(IDTokenRefusal) -> String {
        guard !claims.audience.isEmpty else { throw .unacceptable(.missingClaim("aud")) }
        guard let ours = provider.clientIDs.first(where: { ours in claims.audience.contains { $0.hasSameBytes(as: ours) } })
        else { throw .audience(claims.audience, accepted: provider.clientIDs) }
        return ours
    }

    private func checkPresenter() throws(IDTokenRefusal) {
        guard let presenter = try accepting({ () throws(JOSEError) in try claims.string("azp") }) else {
            guard claims.audience.count <= 1 else { throw .noPresenter(audience: claims.audience) }
            return
        }
        guard provider.clientIDs.contains(where: { $0.hasSameBytes(as: presenter) }) else {
            throw .presenter(presenter, accepted: provider.clientIDs)
        }
    }

    private func checkTimes() throws(IDTokenRefusal) {
        do throws(JOSEError) {
            try claims.checkTimes(at: now, leeway: IDTokenCheck.leeway, maximumAge: IDTokenCheck.maximumAge)
        } catch {
            switch (error, claims.expiresAt, claims.notBefore, claims.issuedAt) {
            case (.expired, let time?, _, _): throw .expired(at: time, now: now)
            case (.notYetValid, _, let time?, _): throw .notYetValid(until: time, now: now)
            case (.issuedInFuture, _, _, let time?): throw .issuedInFuture(at: time, now: now)
            case (.issuedTooLongAgo, _, _, let time?): throw .issuedTooLongAgo(at: time, now: now)
            default: throw .unacceptable(error)
            }
        }
    }

    /// Both or neither, unless the rule demands both; compared in constant time.
    private func checkNonce() throws(IDTokenRefusal) {
        let claimed = try accepting { () throws(JOSEError) in try claims.string("nonce") }
        switch (nonce, claimed) {
        case (nil, nil):
            guard provider.nonceRule.presence == .bothOrNeither else { throw .nonce(.notSent) }
            guard !isFromPage else { throw .nonce(.notSentByPage) }
        case (nil, .some): throw .nonce(.notExpected)
        case (.some, nil):
            // A device of Apple's that cannot bind a nonce says so; nothing can be compared then. No browser is such a device.
            guard provider.id == .apple, claims.flag("nonce_supported") == false, !isFromPage else { throw .nonce(.notInToken) }
        case (let nonce?, let claimed?):
            guard provider.nonceRule.form.accepts(claimed, for: nonce) else { throw .nonce(.differs) }
        }
    }
}

extension NonceRule.Form {
    func accepts(_ claimed: String, for nonce: SecretString) -> Bool {
        guard !nonce.isEmpty else { return false }
        let claimed = Array(claimed.utf8)
        let isPlain = ConstantTime.equal(claimed, nonce.revealedBytes)
        let isHashed = ConstantTime.equal(claimed, Array(SHA256.hash(nonce.revealedBytes).hex.utf8))
        switch self {
        case .plain: return isPlain
        case .hashed: return isHashed
        case .plainOrHashed: return isPlain || isHashed
        }
    }
}

extension JWTClaims {
    /// A claim that is a boolean, or one as a string as Apple writes it; nil for everything else.
    func flag(_ name: String) -> Bool? {
        switch self[name] {
        case .bool(let value): value
        case .string("true"): true
        case .string("false"): false
        default: nil
        }
    }
}

/// Runs what RFC 7515 and RFC 7519 ask; its error becomes ours.
func accepting<T>(_ body: () throws(JOSEError) -> T) throws(IDTokenRefusal) -> T {
    do throws(JOSEError) {
        return try body()
    } catch {
        throw .unacceptable(error)
    }
}

/// `c_hash` and `at_hash` of an id token: what ties the authorization code and the access token to it that come along.
package enum TokenHash {
    /// Whether `hash` is that of the code or token: the left half of its SHA-256 in base64url (OpenID Connect Core §3.3.2.11), as for
    /// all algorithms that end in 256.
    package static func matches(_ hash: String, _ secret: SecretString) -> Bool {
        let digest = SHA256.hash(secret.revealedText).bytes
        let expected = Base64URL.encode(Array(digest.prefix(digest.count / 2)))
        return ConstantTime.equal(Array(hash.utf8), Array(expected.utf8))
    }
}
