import Endpoints
import Identity

extension Worker {
    /// What the doors of a loop need, and the queue that works behind them.
    static func services(_ shared: SharedParts, _ parts: LoopParts) -> (Services, RevocationQueue) {
        let configuration = shared.configuration
        let rooms = Rooms(shared, parts)
        let profiles = ProfileStore(pool: parts.postgres, ambience: shared.ambience)
        let federation = FederationParts(shared, parts, rooms)
        let services = Services(
            accounts: rooms.accounts, sessions: rooms.sessions,
            accessTokens: AccessTokens(
                tokens: rooms.tokens, sessions: rooms.sessions, issuer: rooms.issuer, users: rooms.users,
                ownClients: [shared.app.id, shared.restAuth.id]),
            introspection: Introspection(tokens: rooms.tokens, sessions: rooms.sessions, metrics: parts.metrics),
            clients: rooms.clients,
            clientRefusals: ClientRefusals(
                clients: rooms.clients, audit: parts.audit, metrics: parts.metrics, ambience: shared.ambience),
            keys: parts.keys, federation: federation.federation, codes: federation.codes, notices: federation.notices,
            restAuth: restAuth(shared, profiles: profiles), appOptions: configuration.placedApp,
            confirmations: Confirmations(
                accounts: rooms.accounts, profiles: profiles, codes: OneTimeCodeStore(redis: parts.redis), outbox: parts.outbox,
                loop: parts.loop),
            mailsVerification: configuration.doors.mailsVerification,
            believesUnprovedIdentities: configuration.doors.believesUnprovedIdentities, app: shared.app,
            cookies: configuration.cookies.policy(issuer: configuration.issuer),
            clock: shared.clockTolerance, redis: parts.redis, postgres: parts.postgres)
        return (services, federation.revocations)
    }
}
