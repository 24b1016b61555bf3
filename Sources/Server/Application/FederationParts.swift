import Crypto
import Endpoints
import Identity
import Logging
import Networking
import Outbound
import Text

/// How providers' proofs are believed, their tokens got and revoked, and what they tell us acted upon, on one loop.
struct FederationParts: Sendable {
    let federation: Federation
    let codes: AuthorizationCodes
    let notices: ProviderNotices
    let revocations: ProviderRevocations
    /// Nil where no Firebase project's users come over.
    let migration: FirebaseMigration?

    init(_ shared: SharedParts, _ parts: LoopParts, _ identity: IdentityParts) {
        let (configuration, settings, system) = (shared.configuration, shared.configuration.providerTokens, shared.system)
        let (audit, metrics, logger) = (parts.audit, parts.metrics, parts.logger)
        let keySets = parts.keySets
        let keys: Federation.KeyLookup = { keyID, provider in await keySets.key(keyID, of: provider) }
        let tokens = ProviderTokenStore(pool: parts.postgres, masterKey: shared.masterKey)
        let apple = settings.appleCredentials.map {
            AppleTokenService(
                credentials: $0, tokenURL: settings.appleTokenURL, revokeURL: settings.appleRevokeURL, https: shared.tokenCalls,
                system: system)
        }
        federation = Federation(
            providers: configuration.federation.providers, keys: keys,
            replays: ReplayMemory(redis: parts.redis, clock: system.scriptClock), limiter: parts.limiter, audit: audit,
            metrics: metrics, system: system, endpoints: Self.endpoints(shared, logger))
        codes = AuthorizationCodes(
            apple: apple, issuers: configuration.appleIssuers, keys: keys, store: tokens, audit: audit, metrics: metrics,
            system: system, loop: parts.loop, logger: logger)
        notices = ProviderNotices(
            issuers: configuration.noticeIssuers, keys: keys, store: NoticeStore(pool: parts.postgres), tokens: tokens,
            accounts: identity.accounts,
            sessions: identity.sessions, audit: audit, system: system, logger: logger)
        migration = configuration.firebase.migratedProject.map {
            FirebaseMigration(
                project: $0, keySetURL: configuration.firebase.migratedKeySetURL, keys: keys, accounts: identity.accounts)
        }
        revocations = ProviderRevocations(
            masterKey: shared.masterKey,
            revoker: TokenRevoker(apple: apple, googleRevokeURL: settings.googleRevokeURL, https: shared.tokenCalls),
            audit: audit, system: system, logger: logger)
    }

    /// Over clients of their own: whoever sends made-up tokens must keep neither key sets nor revocations nor codes waiting.
    private static func endpoints(_ shared: SharedParts, _ logger: Logger) -> TokenEndpoints {
        let (settings, providers) = (shared.configuration.providerTokens, shared.configuration.federation)
        var google: GoogleTokenService?
        if let first = providers.google.clientIDs.first {
            google = GoogleTokenService(
                client: settings.googleClientSecret.map {
                    GoogleTokenService.Client(
                        id: settings.explicitGoogleCodeClientID ?? first, secret: $0, redirectURI: settings.googleRedirectURI)
                },
                tokenURL: settings.googleTokenURL, tokenInfoURL: settings.googleTokenInfoURL, https: shared.signInCalls,
                questions: shared.accessTokenCalls)
        }
        var apple: TokenEndpoints.AppleClient?
        if let first = providers.apple.clientIDs.first, let credentials = settings.appleCredentials {
            apple = TokenEndpoints.AppleClient(
                service: AppleTokenService(
                    credentials: credentials, tokenURL: settings.appleTokenURL, revokeURL: settings.appleRevokeURL,
                    https: shared.signInCalls, system: shared.system),
                id: settings.explicitAppleCodeClientID ?? first, redirectURI: settings.appleRedirectURI)
        }
        return TokenEndpoints(google: google, apple: apple, callsPerAddress: settings.callsPerAddress, logger: logger)
    }
}

extension Configuration {
    /// Under which name the keys of Google's security events are looked up: that of the id tokens' where they are the same.
    var googleEventKeys: ProviderID {
        providerTokens.googleEventKeysURL == federation.provider(.google)?.keySetURL ? .google : .googleEvents
    }

    /// The `iss` that Apple's id tokens may have; none while Apple is off.
    var appleIssuers: [String] {
        federation.provider(.apple)?.issuers ?? []
    }

    /// Who may tell us of our users' accounts with them.
    var noticeIssuers: ProviderNotices.Issuers {
        ProviderNotices.Issuers(
            apple: federation.provider(.apple).map {
                NoticeIssuer(
                    provider: .apple, keys: .apple, issuers: $0.issuers, clientIDs: $0.clientIDs,
                    maximumAge: NoticeIssuer.appleMaximumAge)
            },
            google: federation.provider(.google).map {
                NoticeIssuer(
                    provider: .google, keys: googleEventKeys, issuers: [NoticeIssuer.googleEvents], clientIDs: $0.clientIDs,
                    maximumAge: nil)
            })
    }
}
