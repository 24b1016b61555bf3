package import Text

/// Whether a request may pass, for gateways.
package enum AccessVerdict: Sendable {
    case passes(VerifiedFacts)
    /// What was presented is no access token, no longer one, or none for whoever asks.
    case unknown
    /// The token is good, but not for this.
    case lacksScope
    case lacksRole
}

extension Introspection {
    /// How often a session is marked as used that is only looked at.
    private static let touchPause: Duration = .seconds(60)

    /// The same rules as `answer`, in the same round trip, with another outcome. A token that is bound to a key is unknown here: nobody has
    /// looked whether whoever presents it holds the key.
    /// - Throws: `IdentityError.clientNotPermitted`; `unavailable`.
    package func verify(
        _ token: SecretString, _ requirement: AccessRequirement, for caller: ClientRegistry.Entry
    ) async throws(IdentityError) -> AccessVerdict {
        try await counting(for: caller) { () throws(IdentityError) in
            guard !token.isRefreshToken,
                let record = try await recalled(token),
                let stored = StoredAccessToken(record, in: installation), stored.confirmation.isEmpty,
                caller.visibleAudiences?.contains(oneOf: stored, in: installation) ?? true
            else { return .unknown }
            return requirement.lack(of: stored, in: installation)?.verdict ?? .passes(VerifiedFacts(stored, for: caller.client))
        }
    }

    /// The same for the session cookie of a browser, whose session is good for the installation's own audience. That it is used counts, once
    /// a minute.
    package func verify(
        cookie: SecretString, _ requirement: AccessRequirement, for caller: ClientRegistry.Entry
    ) async throws(IdentityError) -> AccessVerdict {
        try await counting(for: caller) { () throws(IdentityError) in
            guard caller.visibleAudiences?.contains(installation.audience) ?? true else { return .unknown }
            do throws(IdentityError) {
                let session = try await sessions.session(of: cookie, use: .session, slides: false).session
                if let lack = requirement.lack(of: session, in: installation) { return lack.verdict }
                let unused = session.time(at: sessions.system.now()).duration(since: session.lastUsedAt)
                if unused >= Self.touchPause { _ = try await sessions.session(of: cookie, use: .session, slides: true) }
                return .passes(VerifiedFacts(session))
            } catch .invalidToken {
                return .unknown
            }
        }
    }

    private func counting(
        for caller: ClientRegistry.Entry, _ rule: () async throws(IdentityError) -> AccessVerdict
    ) async throws(IdentityError) -> AccessVerdict {
        guard caller.client.mayIntrospect else { throw .clientNotPermitted }
        do throws(IdentityError) {
            let verdict = try await rule()
            if case .unknown = verdict {
                metrics.count(IdentityMetrics.IntrospectionResult.inactive)
            } else {
                metrics.count(IdentityMetrics.IntrospectionResult.active)
            }
            return verdict
        } catch {
            metrics.count(IdentityMetrics.IntrospectionResult.unavailable)
            throw error
        }
    }
}

extension AccessRequirement.Lack {
    fileprivate var verdict: AccessVerdict {
        switch self {
        case .audience: .unknown
        case .scope: .lacksScope
        case .role: .lacksRole
        }
    }
}
