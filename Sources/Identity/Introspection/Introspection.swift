import Glibc
package import Text

/// Answers "is this token good?" (RFC 7662): the busiest question there is, and so one round trip to Redis.
package final class Introspection: Sendable {
    private let tokens: AccessTokenStore
    private let sessions: Sessions
    private let metrics: IdentityMetrics

    package init(tokens: AccessTokenStore, sessions: Sessions, metrics: IdentityMetrics) {
        self.tokens = tokens
        self.sessions = sessions
        self.metrics = metrics
    }

    /// The rendered answer, `{"active":false}` for everything that the caller has no use for: unknown, expired, revoked,
    /// malformed, or meant for another audience (RFC 7662 §2.2).
    /// - Throws: `IdentityError.clientNotPermitted`; `unavailable` when Redis is, because a guess would be a lie.
    package func answer(_ token: SecretString, for caller: ClientRegistry.Entry) async throws(IdentityError) -> [UInt8] {
        guard caller.client.mayIntrospect else { throw .clientNotPermitted }
        do throws(IdentityError) {
            guard let record = try await record(of: token), caller.maySee(record) else {
                metrics.count(IdentityMetrics.Introspection.inactive)
                return IntrospectionRecord.inactive
            }
            metrics.count(IdentityMetrics.Introspection.active)
            return record
        } catch {
            metrics.count(IdentityMetrics.Introspection.unavailable)
            throw error
        }
    }

    private func record(of token: SecretString) async throws(IdentityError) -> [UInt8]? {
        let text = token.revealedText
        guard text.utf8.starts(with: RefreshToken.prefix.utf8) else {
            return try await tokens.record(AccessTokenHash(of: text))
        }
        do throws(IdentityError) {
            return try await sessions.record(ofRefreshToken: token)
        } catch .invalidRefreshToken {
            return nil
        }
    }
}

extension Sessions {
    /// What introspection says of a refresh token; nil for one that a refresh would refuse.
    func record(ofRefreshToken token: SecretString) async throws(IdentityError) -> [UInt8]? {
        guard case .live(let session, let verified) = try await holder(of: token) else { return nil }
        let now = session.time(at: ambience.now())
        let decision = session.refresh.decision(presenting: verified.generation, at: now, policy: policy)
        guard session.kind.refreshMode != nil, decision != .reuse, now < session.absoluteEnd else { return nil }
        return issuer.record(ofRefreshTokenIn: session, client: try await client(of: session))
    }
}

extension ClientRegistry.Entry {
    /// Whether the answer is about a token of one of the client's audiences: a comparison of prefixes, no parsing.
    fileprivate func maySee(_ record: [UInt8]) -> Bool {
        guard let recordPrefixes else { return true }
        return recordPrefixes.contains { prefix in
            record.count >= prefix.count && memcmp(record, prefix, prefix.count) == 0
        }
    }
}
