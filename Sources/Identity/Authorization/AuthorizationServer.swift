package import Redis
import Text

/// The parts of one loop that give out tokens by the grants of OAuth 2.0 and OpenID Connect.
package final class AuthorizationServer: Sendable {
    /// What an operator decides about it.
    package struct Policy: Equatable, Sendable {
        /// How long an authorization code is good.
        package var codeLife: Duration = .seconds(60)
        /// How long a used one is remembered, so that a copy of it ends what it has led to.
        package var codeMemory: Duration = .seconds(3600)
        package var idTokenLife: Duration = .seconds(3600)
        package var pushedRequestLife: Duration = .seconds(90)
        package var deviceCodeLife: Duration = .seconds(600)
        /// Whether a DPoP proof must have a nonce of ours.
        package var requiresDPoPNonce = true
        /// By scope: claims of users that it opens in UserInfo, beside the standard ones.
        package var claims = ClaimRelease()

        package init() {}
    }

    package let policy: Policy
    package let codes: AuthorizationCodeStore
    package let pushed: PushedRequests
    package let challenges: AuthorizationSessions
    package let devices: DeviceCodes
    package let limits: AuthorizationLimits
    package let consents: Consents
    package let marks: InteractionMarks
    package let assertions: ClientAssertions
    package let proofs: DPoPProofs
    package let idTokens: IDTokenIssuer
    package let clientTokens: ClientTokens
    /// The `aud` of tokens for clients that have none of their own.
    package let audience: String
    package let system: SystemContext
    private let redis: RedisConnection
    private let sessions: Sessions

    package var issuer: String { idTokens.issuer }

    package init(
        policy: Policy, redis: RedisConnection, sessions: Sessions, consents: Consents, limiter: Limiter, marks: InteractionMarks,
        nonces: DPoPNonces, keys: LoopSlot<KeyRing?>, clientTokens: ClientTokens, clientKeys: ClientKeySets, system: SystemContext
    ) {
        let installation = sessions.issuer.installation
        self.policy = policy
        self.redis = redis
        self.sessions = sessions
        self.consents = consents
        self.marks = marks
        self.clientTokens = clientTokens
        self.system = system
        audience = installation.audience
        codes = AuthorizationCodeStore(redis: redis, life: policy.codeLife, memory: policy.codeMemory, system: system)
        challenges = AuthorizationSessions(redis: redis, system: system)
        pushed = PushedRequests(redis: redis, system: system, life: policy.pushedRequestLife)
        devices = DeviceCodes(redis: redis, sessions: sessions, limiter: limiter, system: system, life: policy.deviceCodeLife)
        limits = AuthorizationLimits(limiter: limiter)
        let used = UsedIdentifiers(redis: redis)
        assertions = ClientAssertions(issuer: installation.issuer, used: used, keys: clientKeys, system: system)
        proofs = DPoPProofs(
            issuer: installation.issuer, nonces: nonces, used: used, requiresNonce: policy.requiresDPoPNonce, system: system)
        idTokens = IDTokenIssuer(issuer: installation.issuer, life: policy.idTokenLife, keys: keys, system: system)
    }

    /// Gives out a code for a request that the user of a session has agreed to.
    /// - Throws: the store's failure.
    package func code(for request: AuthorizationRequest, in session: Session) async throws(IdentityError) -> AuthorizationCode {
        let code = AuthorizationCode(random: system.random(AuthorizationCode.byteCount))
        let authorized = AuthorizedRequest(
            clientID: request.client.id, redirectURI: request.redirectURI, challenge: request.challenge, userID: session.userID,
            sessionID: session.id, scopes: request.scopes, resources: request.resources, nonce: request.nonce,
            idTokenClaims: request.claims.ofIDToken.sorted(), userInfoClaims: request.claims.ofUserInfo.sorted(),
            dpopThumbprint: request.dpopThumbprint, agreedAt: system.now())
        try await codes.issue(code, for: authorized)
        return code
    }

    /// The audience of access tokens for UserInfo. Not the issuer: backends that know no audience of their own take tokens for that.
    package var userInfoAudience: String { sessions.issuer.installation.userInfoAudience }

    /// Whom an access token is for. Where the user's own data are asked for, it is for UserInfo as well, which takes no other.
    package func audiences(_ resources: [String], for client: Client, scopes: [String]) -> [String]? {
        let wanted = resources.isEmpty ? client.tokenAudiences : resources
        guard scopes.contains("openid") else { return wanted.isEmpty ? nil : wanted }
        let all = wanted.isEmpty ? [audience] : wanted
        return all.contains(issuer) || all.contains(userInfoAudience) ? all : all + [userInfoAudience]
    }

    /// Puts on record that a client has got tokens for a user.
    package func note(_ grant: GrantType, _ session: Session, client: ClientID, _ caller: Caller) async {
        await sessions.note(
            .grantIssued(grant), session.id, of: session.userID, client: client, by: .user(session.userID), caller)
    }

    /// A used code has come back: what it has led to is ended.
    /// - Throws: `IdentityError.unavailable`: its tokens may be good then.
    package func endReplayed(
        _ request: AuthorizedRequest, _ grant: AuthorizationCodeStore.GrantReference?, caller: Caller
    ) async throws(IdentityError) {
        await sessions.note(
            .codeReplayed, grant?.sessionID ?? request.sessionID, of: request.userID, client: request.clientID, by: .anonymous,
            caller)
        guard let grant else { return }
        try await sessions.endGrant(
            grant.grantID, in: grant.sessionID, of: request.userID, client: request.clientID, caller: caller)
    }
}

/// The claims that a client has asked for by name, by grant: in Redis for as long as the grant can live.
extension AuthorizationServer {
    /// Keeps those that there are: whatever else a request names is asked of nobody.
    /// - Throws: the store's failure.
    package func keepClaims(
        _ names: [String], of grant: AuthorizationCodeStore.GrantReference, life: Duration
    ) async throws(IdentityError) {
        let known = StandardClaims.known(names)
        guard !known.isEmpty else { return }
        var command = RedisCommand("SET", Self.key(grant), known.joined(separator: " "), "PX")
        command.append(max(1, life.wholeMilliseconds))
        _ = try await mapRedisErrors { () throws(RedisError) in try await redis.send(command) }
    }

    /// - Throws: the store's failure.
    package func claims(of grant: AuthorizationCodeStore.GrantReference) async throws(IdentityError) -> Set<String> {
        let command = RedisCommand("GET", Self.key(grant))
        let reply = try await mapRedisErrors { () throws(RedisError) in try await redis.send(command) }
        return Set((reply.text ?? "").split(separator: " ").map(String.init))
    }

    private static func key(_ grant: AuthorizationCodeStore.GrantReference) -> String {
        "claims:\(grant.sessionID.text).\(grant.grantID.number)"
    }
}

/// What is recorded of authorizations.
extension AuditKind {
    package static let consentGranted = AuditKind("consent_granted")
    package static let consentWithdrawn = AuditKind("consent_withdrawn")
    /// A client got tokens for a user.
    /// - Parameter grant: by which grant type.
    package static func grantIssued(_ grant: GrantType) -> AuditKind {
        AuditKind("grant_issued", reason: grant.shortName)
    }

    /// A used authorization code came back: a copy of it is about, and what it has led to was ended.
    package static let codeReplayed = AuditKind("code_replayed", outcome: .refused)
    package static let deviceApproved = AuditKind("device_approved")
    package static let deviceDenied = AuditKind("device_denied", outcome: .refused)
}
