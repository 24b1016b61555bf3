public import Foundation
package import KidobanTransport

/// Verifies access tokens by their signature (RFC 9068 §4), without asking about each. A revoked token is good until it expires, unless a feed
/// of revocations says so before.
public final class LocalVerifier: TokenVerifier {
    /// What to do with a token of which the feed cannot say whether it was revoked: the feed is cut, or began after the token.
    public enum Fallback: Sendable {
        /// Until it expires it is good, as without a feed.
        case accept
        /// 503: nobody is let in by a guess.
        case refuse
        case ask(IntrospectionVerifier)
    }

    private let issuer: String
    private let audience: String
    private let leeway: TimeInterval
    private let keys: KeySetCache
    private let feed: RevocationFeed?
    private let fallback: Fallback
    private let clock: SystemClock

    /// - Parameters:
    ///   - issuer: `KIDOBAN_ISSUER`, letter by letter.
    ///   - audience: what `aud` must be or have: `KIDOBAN_AUDIENCE`, by default the issuer.
    ///   - server: where the key set is, if not at the issuer's URL.
    ///   - leeway: by how many seconds clocks may differ.
    public convenience init(
        issuer: String, audience: String, server: URL, signatures: any SignatureChecker, feed: RevocationFeed? = nil,
        fallback: Fallback = .accept, leeway: TimeInterval = 5
    ) {
        self.init(
            issuer: issuer, audience: audience, server: server, signatures: signatures, feed: feed, fallback: fallback,
            leeway: leeway, transport: URLSessionTransport(deadline: 5, connections: 1, longestBody: 1_048_576))
    }

    package init(
        issuer: String, audience: String, server: URL, signatures: any SignatureChecker, feed: RevocationFeed? = nil,
        fallback: Fallback = .accept, leeway: TimeInterval = 5, transport: any HTTPTransport, clock: SystemClock = .real
    ) {
        self.issuer = issuer
        self.audience = audience
        self.leeway = leeway
        self.feed = feed
        self.fallback = fallback
        self.clock = clock
        keys = KeySetCache(server.below(".well-known/jwks.json"), signatures, transport, clock)
    }

    public func verify(_ token: String) async throws(TokenError) -> VerifiedToken {
        try BearerToken.check(token)
        let jwt = try SignedToken(token)
        let key = try await keys.key(jwt.kid)
        guard key.algorithm == jwt.algorithm else { throw .invalid(.wrongAlgorithm) }
        guard key.checker.isValid(jwt.signature, of: jwt.signed) else { throw .invalid(.badSignature) }
        let verified = try check(jwt)
        switch feed?.verdict(on: verified) {
        case .good, nil: return verified
        case .revoked: throw .invalid(.revoked)
        case .unknown:
            switch fallback {
            case .accept: return verified
            case .refuse: throw .unavailable(retryAfter: 1)
            case .ask(let introspection): return try await introspection.verify(token)
            }
        }
    }

    private func check(_ jwt: SignedToken) throws(TokenError) -> VerifiedToken {
        guard let claims = try? JSONDecoder().decode(TokenClaims.self, from: jwt.payload), let token = claims.token(jwt.payload)
        else { throw .invalid(.malformed) }
        guard token.issuer == issuer else { throw .invalid(.wrongIssuer) }
        guard token.audiences.contains(audience) else { throw .invalid(.wrongAudience) }
        let now = clock.now()
        guard now < token.expiresAt.addingTimeInterval(leeway) else { throw .invalid(.expired) }
        let begin = max(claims.nbf ?? 0, token.issuedAt.timeIntervalSince1970)
        guard now.timeIntervalSince1970 + leeway >= begin else { throw .invalid(.notYetValid) }
        guard claims.cnf == nil else { throw .invalid(.boundToKey) }
        return token
    }
}

/// The parts of a JWS in its compact form (RFC 7515 §7.1), whose signature nobody has checked yet.
struct SignedToken {
    private struct Header: Decodable {
        let alg: String
        let typ: String?
        let kid: String?
        let crit: [String]?
    }

    let algorithm: String
    let kid: String
    let signed: Data
    let payload: Data
    let signature: Data

    init(_ text: String) throws(TokenError) {
        let parts = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]), let header = try? JSONDecoder().decode(Header.self, from: head),
            let kid = header.kid, kid.utf8.count <= 256
        else { throw .invalid(.malformed) }
        // RFC 9068 §4: no id token passes for an access token.
        guard ["at+jwt", "application/at+jwt"].contains(header.typ?.lowercased()) else { throw .invalid(.wrongType) }
        guard ["ES256", "RS256"].contains(header.alg), header.crit == nil else { throw .invalid(.wrongAlgorithm) }
        algorithm = header.alg
        self.kid = kid
        signed = Data("\(parts[0]).\(parts[1])".utf8)
        self.payload = payload
        self.signature = signature
    }
}
