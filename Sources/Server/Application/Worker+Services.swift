import Endpoints
import Identity

extension Worker {
    /// What the APIs of a loop need, and what works behind them.
    static func apiParts(_ shared: SharedParts, _ parts: LoopParts) -> (APIParts, FederationParts) {
        let configuration = shared.configuration
        let identity = IdentityParts(shared, parts)
        let profiles = ProfileStore(pool: parts.postgres, system: shared.system)
        let federation = FederationParts(shared, parts, identity)
        let services = Services(
            accounts: identity.accounts, sessions: identity.sessions,
            accessTokens: AccessTokens(
                tokens: identity.tokens, sessions: identity.sessions, issuer: identity.issuer, users: identity.users,
                ownClients: [shared.app.id, shared.restAuth.id]),
            introspection: Introspection(tokens: identity.tokens, sessions: identity.sessions, metrics: parts.metrics),
            clients: identity.clients,
            clientRefusals: ClientRefusals(
                clients: identity.clients, audit: parts.audit, metrics: parts.metrics, system: shared.system),
            keys: parts.keys, federation: federation.federation, codes: federation.codes, notices: federation.notices,
            confirmations: Confirmations(
                accounts: identity.accounts, profiles: profiles, codes: OneTimeCodeStore(redis: parts.redis),
                outbox: parts.outbox,
                loop: parts.loop),
            app: shared.app, pages: configuration.cookies.pages(issuer: configuration.issuer),
            clock: shared.clockTolerance, redis: parts.redis, postgres: parts.postgres)
        let apiParts = APIParts(
            services: services, app: configuration.placedApp, cookies: configuration.cookies.policy(issuer: configuration.issuer),
            restAuth: restAuth(shared, profiles: profiles))
        return (apiParts, federation)
    }
}
