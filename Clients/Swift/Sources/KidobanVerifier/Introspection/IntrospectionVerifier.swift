public import Foundation
package import KidobanTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Asks Kidoban about each token (RFC 7662). A revoked token is refused with the next request. Connections stay open.
public final class IntrospectionVerifier: TokenVerifier {
    /// How long answers are remembered. Without a feed a remembered answer does not see a revocation, so the time is short; with one the server
    /// says how long, and a revocation drops the answer.
    public struct Cache: Sendable {
        public var lifetime: TimeInterval
        public var entries: Int

        public init(lifetime: TimeInterval = 5, entries: Int = 10_000) {
            self.lifetime = lifetime
            self.entries = entries
        }
    }

    /// At most so long is an answer remembered without a feed, whatever the settings say.
    public static let longestLifetime: TimeInterval = 60

    private let endpoint: URL
    private let authorization: String
    private let transport: any HTTPTransport
    private let clock: SystemClock
    private let cache: AnswerCache?
    private let feed: RevocationFeed?

    /// - Parameters:
    ///   - server: Kidoban, by way of the private network.
    ///   - deadline: for one question, in seconds.
    ///   - cache: nil asks about each request, which is the default.
    ///   - feed: makes a cache safe: what it tells of is dropped at once, and nothing is remembered while it is cut.
    ///   - connections: at most so many questions are under way.
    public convenience init(
        server: URL, client: ClientCredentials, deadline: TimeInterval = 3, cache: Cache? = nil, feed: RevocationFeed? = nil,
        connections: Int = 32
    ) {
        self.init(
            server: server, client: client, cache: cache, feed: feed,
            transport: URLSessionTransport(deadline: deadline, connections: connections, longestBody: 1_048_576))
    }

    package init(
        server: URL, client: ClientCredentials, cache: Cache? = nil, feed: RevocationFeed? = nil,
        transport: any HTTPTransport, clock: SystemClock = .real
    ) {
        endpoint = server.below("oauth2/introspect")
        authorization = client.authorization
        self.transport = transport
        self.clock = clock
        self.feed = feed
        self.cache = cache.map { AnswerCache(lifetime: min($0.lifetime, Self.longestLifetime), entries: $0.entries) }
    }

    public func verify(_ token: String) async throws(TokenError) -> VerifiedToken {
        try BearerToken.check(token)
        if let (known, mark) = cache?.answer(to: token, at: clock.now()) {
            guard let feed else { return known }
            if let mark, feed.isGood(known, since: mark) { return known }
            cache?.forget(token)
        }
        let mark = feed?.mark
        // A question is never shared with one that was asked before: that may have been answered before a revocation.
        let answer = try await ask(token)
        switch answer.status {
        case 200: return try accept(answer, token, mark)
        case 400, 401, 403, 404: throw .misconfigured(status: answer.status)
        default: throw .unavailable(retryAfter: answer.retryAfter)
        }
    }

    private func accept(
        _ answer: HTTPAnswer, _ token: String, _ mark: RevocationFeed.Mark?
    ) throws(TokenError) -> VerifiedToken {
        guard let claims = try? JSONDecoder().decode(TokenClaims.self, from: answer.body), let isActive = claims.active else {
            throw .unavailable(retryAfter: nil)
        }
        // Of a refresh token the server says neither: it is active for its client alone, and opens nothing.
        guard isActive, claims.token_type != nil, claims.jti != nil else { throw .invalid(.inactive) }
        guard claims.cnf == nil else { throw .invalid(.boundToKey) }
        guard let verified = claims.token(answer.body) else { throw .unavailable(retryAfter: nil) }
        // While the feed is cut, nothing is remembered.
        if let cache, feed == nil || mark != nil {
            let until = claims.cache_until.map { Date(timeIntervalSince1970: $0) }
            cache.remember(verified, token, mark, until: feed == nil ? nil : until, at: clock.now())
        }
        return verified
    }

    /// A second time when the connection broke: the server may have closed it in the moment of the request, and to ask twice does no harm.
    private func ask(_ token: String) async throws(TokenError) -> HTTPAnswer {
        var request = URLRequest(url: endpoint)
        request.httpMethod = "POST"
        request.setValue(authorization, forHTTPHeaderField: "Authorization")
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        let wantsLife = cache != nil && feed != nil
        let form = "token=\(Form.encode(token))&token_type_hint=access_token\(wantsLife ? "&cache=1" : "")"
        request.httpBody = Data(form.utf8)
        for attempt in 1...2 {
            do {
                return try await transport.send(request)
            } catch let error as URLError where error.code == .networkConnectionLost && attempt == 1 {
                continue
            } catch is CancellationError {
                throw .cancelled
            } catch {
                break
            }
        }
        throw .unavailable(retryAfter: nil)
    }
}
