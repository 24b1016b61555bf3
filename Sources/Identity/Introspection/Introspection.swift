package import Text

/// What a caller believes a token to be (RFC 7009 §2.1). A value that is neither counts as none.
package enum TokenTypeHint: String, Sendable {
    case accessToken = "access_token"
    case refreshToken = "refresh_token"
}

/// Answers "is this token good?" (RFC 7662): the busiest question there is, and so one round trip to Redis, or none (`HotTokens`).
///
/// The caller lets in whoever is `active`. So only access tokens for an audience of the caller are; refresh tokens, session cookies, one-time codes and
/// id tokens are not. The one exception opens nothing: a client may ask about its own refresh token.
package final class Introspection: Sendable {
    /// How long an answer may be remembered at most, by who hears of every end.
    private static let longestMemory: Duration = .seconds(300)

    let tokens: AccessTokenStore
    let sessions: Sessions
    let metrics: IdentityMetrics
    let installation: Installation
    private let answer: IntrospectionAnswer

    package init(tokens: AccessTokenStore, sessions: Sessions, metrics: IdentityMetrics) {
        installation = sessions.issuer.installation
        answer = IntrospectionAnswer(installation)
        self.tokens = tokens
        self.sessions = sessions
        self.metrics = metrics
    }

    /// The rendered answer, `{"active":false}` for everything that the caller has no use for: unknown, expired, revoked,
    /// malformed, meant for another audience, or no access token (RFC 7662 §2.2).
    /// - Parameters:
    ///   - hint: evaluated only for a refresh token.
    ///   - tellsLife: whether an access token's answer says until when it may be remembered.
    /// - Throws: `IdentityError.clientNotPermitted`; `unavailable` when Redis is, because a guess would be a lie.
    package func answer(
        _ token: SecretString, hint: @autoclosure () -> TokenTypeHint? = nil, tellsLife: Bool = false,
        for caller: ClientRegistry.Entry
    ) async throws(IdentityError) -> [UInt8] {
        guard caller.client.mayIntrospect else { throw .clientNotPermitted }
        do throws(IdentityError) {
            let found =
                if token.isRefreshToken {
                    try await answer(aboutRefreshToken: token, soughtAs: hint(), by: caller.client)
                } else {
                    try await answer(aboutAccessToken: token, tellsLife: tellsLife, for: caller)
                }
            guard let found else {
                metrics.count(IdentityMetrics.IntrospectionResult.inactive)
                return IntrospectionAnswer.inactive
            }
            metrics.count(IdentityMetrics.IntrospectionResult.active)
            return found
        } catch {
            metrics.count(IdentityMetrics.IntrospectionResult.unavailable)
            throw error
        }
    }

    private func answer(
        aboutAccessToken token: SecretString, tellsLife: Bool, for caller: ClientRegistry.Entry
    ) async throws(IdentityError) -> [UInt8]? {
        if tellsLife { return try await recalled(token).flatMap { rendered($0, tellsLife: true, for: caller) } }
        return try await mapServiceFailures { () throws(ServiceFailure) in
            try await tokens.recalledAnswer(AccessTokenHash(of: token.revealedText), for: caller) { record in
                rendered(record, tellsLife: false, for: caller)
            }
        }
    }

    /// What is stored of an access token; nil for one that is unknown, expired or revoked.
    func recalled(_ token: SecretString) async throws(IdentityError) -> [UInt8]? {
        try await mapServiceFailures { () throws(ServiceFailure) in
            try await tokens.recalledRecord(AccessTokenHash(of: token.revealedText))
        }
    }

    private func rendered(_ record: [UInt8], tellsLife: Bool, for caller: ClientRegistry.Entry) -> [UInt8]? {
        let end = tellsLife ? sessions.system.now().adding(Self.longestMemory) : nil
        return answer.render(
            record, for: caller.visibleAudiences, limitedBy: caller.client.limitedByScopes, rememberedUntil: end)
    }

    /// The same for several tokens, in their order. The access tokens among them take one round trip.
    /// - Parameter hint: of all of them.
    package func answers(
        _ presented: [SecretString], hint: TokenTypeHint? = nil, tellsLife: Bool = false, for caller: ClientRegistry.Entry
    ) async throws(IdentityError) -> [[UInt8]] {
        guard caller.client.mayIntrospect else { throw .clientNotPermitted }
        do throws(IdentityError) {
            let hashes = presented.filter { !$0.isRefreshToken }.map { AccessTokenHash(of: $0.revealedText) }
            let recalled = try await mapServiceFailures { () throws(ServiceFailure) in try await tokens.recalledRecords(hashes) }
            var records = recalled[...]
            var answers: [[UInt8]] = []
            for token in presented {
                let found =
                    if token.isRefreshToken {
                        try await answer(aboutRefreshToken: token, soughtAs: hint, by: caller.client)
                    } else {
                        records.removeFirst().flatMap { rendered($0, tellsLife: tellsLife, for: caller) }
                    }
                metrics.count(found == nil ? IdentityMetrics.IntrospectionResult.inactive : .active)
                answers.append(found ?? IntrospectionAnswer.inactive)
            }
            return answers
        } catch {
            metrics.count(IdentityMetrics.IntrospectionResult.unavailable)
            throw error
        }
    }

    /// An answer as a signed JWT for whoever asks (RFC 9701 §5).
    /// - Throws: `IdentityError.unavailable` while there is no key; `internalFault` when signing fails.
    package func signed(
        _ answer: [UInt8], for caller: ClientRegistry.Entry, by keys: KeyRing
    ) throws(IdentityError) -> SecretString {
        var payload = Array("{\"iss\":".utf8) + JSONValue.string(installation.issuer).serialized
        payload += Array(",\"aud\":".utf8) + JSONValue.string(caller.client.id.text).serialized
        payload += Array(",\"iat\":\(sessions.system.now().seconds),\"token_introspection\":".utf8)
        payload += answer
        payload.append(UInt8(ascii: "}"))
        return try keys.sign(payload, type: .introspectionAnswer, algorithm: caller.client.idTokenAlgorithm)
    }

    /// Nil unless the client that asks is the one it was issued to, and if it takes it for an access token. For a client that can have no refresh token no
    /// store is asked.
    private func answer(
        aboutRefreshToken token: SecretString, soughtAs hint: TokenTypeHint?, by client: Client
    ) async throws(IdentityError) -> [UInt8]? {
        guard client.maySignUsersIn, hint != .accessToken else { return nil }
        do throws(IdentityError) {
            return try await sessions.answer(aboutRefreshToken: token, of: client)
        } catch .invalidRefreshToken {
            return nil
        }
    }
}

extension SecretString {
    var isRefreshToken: Bool { revealedText.utf8.starts(with: RefreshToken.prefix.utf8) }
}

extension Sessions {
    /// What introspection says of a refresh token; nil for one that a refresh would refuse, and for another client's.
    func answer(aboutRefreshToken token: SecretString, of client: Client) async throws(IdentityError) -> [UInt8]? {
        guard case .live(let session, let grant?, let verified) = try await holder(of: token), grant.clientID == client.id,
            let refresh = grant.refresh
        else { return nil }
        let now = session.time(at: system.now())
        let decision = refresh.decision(presenting: verified.generation, at: now, policy: policy)
        guard decision != .reuse, now < session.absoluteEnd else { return nil }
        return issuer.answer(aboutRefreshTokenOf: grant, in: session, client: client)
    }
}

extension AccessTokenIssuer {
    /// No `token_type`, no `jti`, no `aud` and no `scope`: a refresh token opens nothing, and nobody shall take it for one that does.
    fileprivate func answer(aboutRefreshTokenOf grant: Grant, in session: Session, client: Client) -> [UInt8] {
        let expiresAt = min(session.lastUsedAt.adding(client.sessionLifetime.idle), session.absoluteEnd)
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.member("active", true)
        writer.member("client_id", grant.clientID.text)
        writer.member("sub", session.userID.description)
        if grant.tellsName(to: client), let username = session.username {
            writer.member("username", username)
            writer.member("email_verified", session.owner.emailVerified)
        }
        writer.member("exp", expiresAt.seconds)
        writer.member("iat", session.createdAt.seconds)
        writer.member("nbf", session.createdAt.seconds)
        writer.member("iss", installation.issuer)
        writer.member("sid", session.id.text)
        writer.endObject()
        return writer.bytes
    }
}
