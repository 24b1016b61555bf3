import Endpoints
import Identity
import Logging
import Networking
import Postgres
import Redis

extension Worker {
    /// What the APIs of a loop need, and what works behind them.
    static func apiParts(_ shared: SharedParts, _ parts: LoopParts) -> (APIParts, FederationParts) {
        let configuration = shared.configuration
        let identity = IdentityParts(shared, parts)
        let profiles = ProfileStore(pool: parts.postgres, system: shared.system)
        let federation = FederationParts(shared, parts, identity)
        let clientTokens = ClientTokens(
            redis: parts.redis, tokens: identity.tokens, issuer: identity.issuer, system: shared.system)
        let services = Services(
            accounts: identity.accounts, sessions: identity.sessions,
            accessTokens: AccessTokens(
                tokens: identity.tokens, sessions: identity.sessions, issuer: identity.issuer, users: identity.users,
                ownClients: [shared.app.id, shared.restAuth.id]),
            introspection: Introspection(tokens: identity.tokens, sessions: identity.sessions, metrics: parts.metrics),
            clients: identity.clients,
            clientTokens: clientTokens,
            clientRefusals: ClientRefusals(
                clients: identity.clients, audit: parts.audit, metrics: parts.metrics, system: shared.system),
            revocations: revocations(shared, parts, identity), keys: parts.keys, federation: federation.federation,
            codes: federation.codes, notices: federation.notices,
            confirmations: Confirmations(
                accounts: identity.accounts, profiles: profiles, codes: OneTimeCodeStore(redis: parts.redis),
                outbox: parts.outbox,
                loop: parts.loop),
            authorization: authorizationServer(shared, parts, identity, clientTokens), app: shared.app,
            pages: configuration.cookies.pages(issuer: configuration.issuer),
            look: configuration.signIn.look,
            clock: shared.clockTolerance, redis: parts.redis, postgres: parts.postgres)
        let apiParts = APIParts(
            services: services, app: configuration.placedApp, cookies: configuration.cookies.policy(issuer: configuration.issuer),
            restAuth: restAuth(shared, profiles: profiles), oauth: configuration.oauthOptions, signIn: signIn(shared, services),
            registrations: ClientRegistrations(
                store: ClientStore(pool: parts.postgres), redis: parts.redis, tokens: shared.initialAccessTokens,
                sessions: services.sessions, clientTokens: services.clientTokens, system: shared.system),
            firebase: IdentityToolkit.Parts(
                options: configuration.placedFirebase,
                client: shared.firebase ?? SharedParts.firebase(configuration, app: shared.app),
                accounts: ProjectAccounts(accounts: identity.accounts, rules: configuration.firebase.rules),
                providers: ProjectProviders(accounts: identity.accounts, masterKey: shared.masterKey),
                clientTokens: services.clientTokens,
                system: shared.system),
            migration: federation.migration, served: Set(API.all.map(\.name).filter { configuration.serves($0) }))
        return (apiParts, federation)
    }
}

extension Worker {
    /// Nil where nobody is told what ends.
    private static func revocations(
        _ shared: SharedParts, _ parts: LoopParts, _ identity: IdentityParts
    ) -> RevocationFeed? {
        guard shared.configuration.backends.tellsRevocations else { return nil }
        return RevocationFeed(
            redis: parts.redis, installation: identity.issuer.installation, clients: identity.clients,
            places: shared.revocationPlaces, logger: parts.logger)
    }

    /// What gives out tokens by the grants of OAuth.
    static func authorizationServer(
        _ shared: SharedParts, _ parts: LoopParts, _ identity: IdentityParts, _ clientTokens: ClientTokens
    ) -> AuthorizationServer {
        AuthorizationServer(
            policy: shared.configuration.authorization, redis: parts.redis, sessions: identity.sessions,
            consents: Consents(pool: parts.postgres, sessions: identity.sessions, system: shared.system),
            limiter: parts.limiter, marks: shared.interactionMarks, nonces: shared.dpopNonces, keys: parts.keys,
            clientTokens: clientTokens,
            clientKeys: ClientKeySets(client: shared.accessTokenCalls, loop: parts.loop, logger: parts.logger),
            system: shared.system)
    }

    /// What the rest-auth API needs beside the parts that all APIs share.
    static func restAuth(
        _ shared: SharedParts, profiles: ProfileStore
    ) -> RestAuth.Parts {
        RestAuth.Parts(
            options: shared.configuration.placedRestAuth, client: shared.restAuth, profiles: profiles,
            tokens: shared.sharedSecretTokens, system: shared.system)
    }

    /// What the sign-in pages need beside that.
    static func signIn(_ shared: SharedParts, _ services: Services) -> SignInPages.Parts {
        SignInPages.Parts(services: services, options: shared.configuration.placedSignIn, random: shared.system.random)
    }

    /// Tells clients that sessions are over.
    static func backchannelLogout(_ shared: SharedParts, _ services: Services) -> PostHandler {
        let tokens = LogoutTokens(
            issuer: shared.configuration.issuer, keys: services.keys, clients: services.clients, system: shared.system)
        return PostHandler(.backchannelLogout, https: shared.tokenCalls) { job in await tokens.letter(for: job) }
    }
}

extension Configuration {
    /// Whether an API is open. That of the pages also is while mails of the app API lead to them.
    func serves(_ api: String) -> Bool {
        // Without a project there is nothing to serve.
        if api == "identity-toolkit", firebase.project == nil { return false }
        return apis.open.contains(api)
            || api == Pages.name && (apis.open.contains("app") && placedApp.needsPages || apis.open.contains(SignInPages.name))
    }

    /// How long changes of the ways in can be undone, and where.
    var noticePolicy: AccountNotices.Policy {
        var policy = AccountNotices.Policy(lifetime: mail.undoLifetime)
        if serves(Pages.name) {
            let (site, prefix) = (issuer, apis[prefixOf: Pages.name])
            policy.link = { code in PagePath.undoLink(site: site, prefix: prefix, code) }
        }
        return policy
    }
}
