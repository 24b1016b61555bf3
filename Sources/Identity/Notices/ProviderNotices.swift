import Crypto
import JOSE
package import Logging
import Text

/// Takes what Apple and Google tell of the accounts of our users, and acts upon it.
///
/// A notice is remembered once all of it is done, and each step may be repeated: what fails half-way is done when the provider sends
/// the notice again.
package final class ProviderNotices: Sendable {
    /// Who may send notices; nil for a provider that is not configured.
    package struct Issuers: Sendable {
        package var apple: NoticeIssuer?
        package var google: NoticeIssuer?

        package init(apple: NoticeIssuer?, google: NoticeIssuer?) {
            self.apple = apple
            self.google = google
        }
    }

    /// Of Google's accounts, as the subjects of its events name it.
    private static let googleSubjectIssuers = [
        "https://accounts.google.com", "https://accounts.google.com/", "accounts.google.com",
    ]

    let store: NoticeStore
    let tokens: ProviderTokenStore
    let accounts: Accounts
    let sessions: Sessions
    let audit: AuditLog
    let system: SystemContext
    private let issuers: LoopSlot<Issuers>
    private let keys: Federation.KeyLookup
    private let logger: Logger
    /// Anybody can send what is no notice: the first of each provider and reason in a minute is put on record.
    private let records = LimitNotices(pause: .seconds(60))

    package init(
        issuers: Issuers, keys: @escaping Federation.KeyLookup, store: NoticeStore, tokens: ProviderTokenStore,
        accounts: Accounts,
        sessions: Sessions, audit: AuditLog, system: SystemContext, logger: Logger
    ) {
        self.issuers = LoopSlot(issuers)
        self.keys = keys
        self.store = store
        self.tokens = tokens
        self.accounts = accounts
        self.sessions = sessions
        self.audit = audit
        self.system = system
        self.logger = logger
    }

    /// Replaces who may send notices; on its own loop.
    package func use(_ issuers: Issuers) {
        self.issuers.value = issuers
    }

    /// A server-to-server notification of Apple's: the JWS in its `payload`.
    package func takeApple(_ token: String, caller: Caller) async throws(NoticeFailure) {
        try await take(token, from: issuers.value.apple, caller) { claims throws(NoticeRefusal) in
            try ProviderNotice(apple: claims, token: token)
        }
    }

    /// A security event token of Google's cross-account protection.
    package func takeGoogle(_ token: String, caller: Caller) async throws(NoticeFailure) {
        try await take(token, from: issuers.value.google, caller) { claims throws(NoticeRefusal) in
            try ProviderNotice(google: claims, token: token, issuers: Self.googleSubjectIssuers)
        }
    }

    private func take(
        _ token: String, from issuer: NoticeIssuer?, _ caller: Caller,
        _ read: (JWTClaims) throws(NoticeRefusal) -> ProviderNotice
    ) async throws(NoticeFailure) {
        guard let issuer else { throw .notConfigured }
        let claims = try await claims(of: token, from: issuer, caller)
        let notice: ProviderNotice
        do throws(NoticeRefusal) {
            try issuer.check(claims, at: system.now())
            notice = try read(claims)
        } catch {
            throw await refused(error, issuer.provider, caller)
        }
        do throws(IdentityError) {
            let isKnown = try await mapServiceFailures { () throws(ServiceFailure) in try await store.isKnown(notice.digest) }
            guard !isKnown else { return }
            for occurrence in notice.occurrences {
                try await act(on: occurrence, of: issuer.provider, at: notice.time(of: occurrence), caller)
            }
            try await mapServiceFailures { () throws(ServiceFailure) in
                try await store.remember(notice.digest, at: system.statementTime)
            }
        } catch {
            throw NoticeFailure(error)
        }
    }

    /// Checks the signature, with RS256 and the keys of the sender only.
    private func claims(
        of token: String, from issuer: NoticeIssuer, _ caller: Caller
    ) async throws(NoticeFailure) -> JWTClaims {
        let unverified: UnverifiedJWS
        let keyID: String
        do throws(JOSEError) {
            unverified = try UnverifiedJWS.parse(token)
            guard unverified.header.algorithm == .rs256 else { throw JOSEError.algorithmNotAllowed }
            guard let named = unverified.header.keyID else { throw JOSEError.missingKeyID }
            keyID = named
        } catch {
            throw await refused(.token(error), issuer.provider, caller)
        }
        let key = try await key(keyID, of: issuer, caller)
        do throws(JOSEError) {
            return try unverified.verify(with: key, allowing: [.rs256]).claims()
        } catch {
            throw await refused(.token(error), issuer.provider, caller)
        }
    }

    private func key(_ keyID: String, of issuer: NoticeIssuer, _ caller: Caller) async throws(NoticeFailure) -> JWK {
        switch await keys(keyID, issuer.keys) {
        case .key(let key): return key
        case .unknownKey: throw await refused(.token(.unknownKey), issuer.provider, caller)
        case .unavailable(let delay): throw .unavailable(retryAfter: delay)
        }
    }

    private func act(
        on occurrence: ProviderNotice.Occurrence, of provider: ProviderID, at time: Timestamp, _ caller: Caller
    ) async throws(IdentityError) {
        let event = occurrence.event
        var userID: UserID?
        if let subject = occurrence.subject {
            userID = try await mapServiceFailures { () throws(ServiceFailure) in try await store.user(provider, subject) }
        }
        if let userID, let subject = occurrence.subject {
            let identity = NoticedIdentity(provider: provider, subject: subject, userID: userID, happenedAt: time)
            for step in NoticeDecision.steps(for: event) {
                // What the provider has taken back since is not done again.
                guard try await take(step, for: identity, caller) else { break }
            }
        }
        logger.info(
            "notice of a provider",
            ["provider": .string(provider.text), "event": .string(event.name), "concerns_a_user": .bool(userID != nil)])
        await note(.noticeTaken(event), userID, provider, caller)
    }

    private func refused(_ refusal: NoticeRefusal, _ provider: ProviderID, _ caller: Caller) async -> NoticeFailure {
        guard records.admits("\(provider.text) \(refusal.reason)", at: system.now()) else { return .refused(refusal) }
        logger.warning(
            "notice refused", ["provider": .string(provider.text), "reason": .string(refusal.reason)])
        await note(.noticeRefused(refusal), nil, provider, caller)
        return .refused(refusal)
    }

    func note(_ kind: AuditKind, _ userID: UserID?, _ provider: ProviderID, _ caller: Caller) async {
        var detail = JSONObject()
        detail["provider"] = .string(provider.text)
        await audit.record(
            AuditEvent(
                id: system.uuid(), time: system.now(), kind: kind, actor: .system, userID: userID,
                address: caller.address, referenceID: caller.referenceID, detail: detail))
    }
}

/// What is recorded of providers' notices.
extension AuditKind {
    /// A provider has told us of an event, and we have done what it asks for.
    package static func noticeTaken(_ event: ProviderEvent) -> AuditKind {
        AuditKind("provider_notice", reason: event.name)
    }

    package static func noticeRefused(_ refusal: NoticeRefusal) -> AuditKind {
        AuditKind("provider_notice_refused", reason: refusal.reason, outcome: .refused)
    }
}
