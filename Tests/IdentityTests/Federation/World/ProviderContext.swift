import Crypto
import Logging
import Outbound
import Postgres
import TestSupport
import Testing
import Text

@testable import Identity

/// The parts that talk with providers, on one copy.
struct Context: Sendable {
    let copy: Copy
    let tokens: ProviderTokenStore
    let codes: AuthorizationCodes
    let notices: ProviderNotices
    let revocations: JobRunner
    /// Which goes with the last who holds it.
    let provider: FakeProvider

    /// - Parameters:
    ///   - canAskApple: whether there is a key to ask Apple with.
    ///   - timeout: how long a provider may take.
    init(
        _ world: World, _ provider: FakeProvider, on copy: Copy? = nil, canAskApple: Bool = true, masterKey: MasterKey? = nil,
        timeout: Duration = .seconds(60)
    ) throws {
        let copy = copy ?? world.a
        // One byte is the chance of a pause, which a test wants to know.
        let system = SystemContext(
            now: copy.system.now, random: { $0 == 1 ? [255] : SecureRandom.bytes($0) },
            scriptClock: copy.system.scriptClock, statementClock: copy.system.statementClock)
        var configuration = OutboundConfiguration()
        configuration.timeout = timeout
        let https = try HTTPSClient(configuration)
        let key = try #require(AppleCredentials.PrivateKey(pem: try Sample.appleKey().pem))
        let apple = AppleTokenService(
            credentials: AppleCredentials(teamID: "TEAM123456", keyID: "KEY1234567", key: key),
            tokenURL: provider.server.url("/auth/token"), revokeURL: provider.server.url("/auth/revoke"), https: https,
            system: system)
        let parts = copy.parts
        let logger = Logger.disabled
        self.copy = copy
        self.provider = provider
        tokens = ProviderTokenStore(pool: parts.postgres, masterKey: masterKey ?? world.masterKey)
        codes = AuthorizationCodes(
            apple: canAskApple ? apple : nil, issuers: ["https://appleid.apple.com"], keys: provider.keys, store: tokens,
            audit: parts.audit, metrics: parts.metrics, system: system, loop: copy.loop, logger: logger)
        let clientIDs = ["app.town.example"]
        let store = NoticeStore(pool: parts.postgres)
        notices = ProviderNotices(
            issuers: ProviderNotices.Issuers(
                apple: NoticeIssuer(
                    provider: .apple, keys: .apple, issuers: ["https://appleid.apple.com"], clientIDs: clientIDs,
                    maximumAge: NoticeIssuer.appleMaximumAge),
                google: NoticeIssuer(
                    provider: .google, keys: .googleEvents, issuers: [NoticeIssuer.googleEvents], clientIDs: clientIDs,
                    maximumAge: nil)),
            keys: provider.keys, store: store, tokens: tokens, accounts: parts.accounts, sessions: parts.sessions,
            audit: parts.audit, system: system, logger: logger)
        let handler = ProviderRevocations(
            masterKey: masterKey ?? world.masterKey,
            revoker: TokenRevoker(
                apple: canAskApple ? apple : nil, googleRevokeURL: provider.server.url("/google/revoke"), https: https),
            audit: parts.audit, system: system, logger: logger)
        revocations = JobRunner(
            queue: parts.jobs, handlers: [handler], chores: [.forgetNotices], metrics: parts.metrics, system: system,
            signal: JobSignal(), loop: copy.loop, logger: logger)
    }

    /// Has a code exchanged, and waits for what becomes of it.
    func exchange(_ code: String, of verifiedToken: ProviderProof, _ member: Member) async throws {
        await codes.take(SecretString(code), of: try verifiedToken.token(), userID: member.id, caller: Copy.caller)
        await codes.close()
    }

    /// Stores a token as if a code had been exchanged.
    func keep(_ token: String, of verifiedToken: ProviderProof) async throws {
        let grant = ProviderTokenOwner(
            provider: verifiedToken.provider, subject: verifiedToken.subject, clientID: verifiedToken.audience)
        #expect(try await tokens.keep(SecretString(token), of: grant, at: .given(Sample.now)))
    }

    /// How many tokens are stored, and how many wait to be revoked or were given up.
    func counts() async throws -> [Int] {
        let stored = try await copy.parts.postgres.query(Self.storedCount).first?.int64(0) ?? -1
        let count = try await copy.parts.jobs.counts(at: copy.system.statementTime)[.providerRevocation] ?? JobCounters.Count()
        return [Int(stored), count.waiting, count.givenUp]
    }

    private static let storedCount = Statement(name: "test_provider_tokens", sql: "SELECT count(*) FROM provider_tokens")

    /// The sealed tokens that are stored, as bytes.
    func sealedTokens() async throws -> [[UInt8]] {
        var sealed: [[UInt8]] = []
        for row in try await copy.parts.postgres.query(Self.sealed) { sealed.append(try row.bytes(0)) }
        return sealed
    }

    private static let sealed = Statement(name: "test_sealed_tokens", sql: "SELECT sealed_token FROM provider_tokens")
}
