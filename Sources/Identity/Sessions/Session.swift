package import Text

/// One sign-in on one device or browser: what is listed to the user and ended as a whole. What clients get from it are its grants; it may have
/// none, as the session of a browser that holds a cookie only.
package struct Session: Sendable {
    /// The cookie of a session.
    package struct Cookie: Sendable {
        /// How long the session lives after the cookie's last use; nil for a cookie beside tokens, which lives as long as the session.
        package let idleLife: Duration?
        /// Takes the place of the session's salt once the cookie has been changed.
        let salt: SessionSalt?
    }

    package let id: SessionID
    package let userID: UserID
    /// What tokens say of the user.
    package let owner: SessionOwner
    /// Through which client it began. What others got from it is in its grants.
    package let clientID: ClientID
    /// How the user proved who they are when it began.
    package let methods: Set<AuthenticationMethod>
    /// Whose proof that was, if it was a provider's.
    package let provider: ProviderID?
    package let device: DeviceDescription
    /// What tokens say in this session beside what they say of the user: who has let the user in has said so.
    package let ownClaims: JSONObject
    /// Whence it began; nil where nobody can tell.
    package let network: NetworkPrefix?
    /// When the session began.
    package private(set) var createdAt: Timestamp
    /// When the user last proved who they are in it: the `auth_time` of OpenID Connect Core §2.
    package private(set) var authenticatedAt: Timestamp
    /// The end that no amount of use puts off.
    package private(set) var absoluteEnd: Timestamp
    package private(set) var lastUsedAt: Timestamp
    package let salt: SessionSalt
    package let cookie: Cookie?
    package let grants: [Grant]
    /// The access tokens that its record lists, packed; those beyond a few are listed elsewhere.
    let tokenList: [UInt8]
    /// The record that it was read from; empty for one that this copy has made.
    let record: [UInt8]
    /// How much the clock that its instants are told by, which is Redis's, was ahead of this copy's when it was read.
    private var clockLead: Duration

    package init(
        id: SessionID, userID: UserID, owner: SessionOwner, clientID: ClientID, methods: Set<AuthenticationMethod>,
        provider: ProviderID? = nil, device: DeviceDescription, network: NetworkPrefix? = nil, createdAt: Timestamp,
        authenticatedAt: Timestamp, absoluteEnd: Timestamp, lastUsedAt: Timestamp, salt: SessionSalt, cookie: Cookie? = nil,
        grants: [Grant], ownClaims: JSONObject = JSONObject(), tokenList: [UInt8] = [], record: [UInt8] = [],
        clockLead: Duration = .zero
    ) {
        self.ownClaims = ownClaims
        self.id = id
        self.userID = userID
        self.owner = owner
        self.clientID = clientID
        self.methods = methods
        self.provider = provider
        self.device = device
        self.network = network
        self.createdAt = createdAt
        self.authenticatedAt = authenticatedAt
        self.absoluteEnd = absoluteEnd
        self.lastUsedAt = lastUsedAt
        self.salt = salt
        self.cookie = cookie
        self.grants = grants
        self.tokenList = tokenList
        self.record = record
        self.clockLead = clockLead
    }

    /// A session that begins now.
    init(
        id: SessionID, of authentication: Authentication, clientID: ClientID, _ caller: Caller, salt: SessionSalt,
        absoluteLife: Duration, cookieIdleLife: Duration? = nil, grants: [Grant], at now: Timestamp
    ) {
        self.init(
            id: id, userID: authentication.user.id, owner: SessionOwner(authentication.user), clientID: clientID,
            methods: authentication.methods, provider: authentication.provider, device: caller.device,
            network: NetworkPrefix(of: caller.address), createdAt: now, authenticatedAt: authentication.time,
            absoluteEnd: now.adding(absoluteLife), lastUsedAt: now, salt: salt,
            cookie: cookieIdleLife.map { Cookie(idleLife: $0, salt: nil) }, grants: grants,
            ownClaims: authentication.claims)
    }
}

extension Session {
    /// The user's e-mail address, as typed; nil where there is none.
    package var username: String? { owner.username }

    package func grant(_ id: GrantID) -> Grant? {
        grants.first { $0.id == id }
    }

    /// Whether a cookie is what holds it.
    package var isHeldByCookie: Bool { cookie?.idleLife != nil }

    /// What the clock of its instants shows when this copy's shows `now`: only that may be compared with them.
    package func time(at now: Timestamp) -> Timestamp {
        now.adding(clockLead)
    }

    /// Its absolute end as this copy's clock shows it, for what is told by that: the life of tokens and cookies.
    package var ownAbsoluteEnd: Timestamp {
        absoluteEnd.adding(.zero - clockLead)
    }

    /// When the user proved who they are, as this copy's clock shows it.
    var ownAuthenticatedAt: Timestamp {
        authenticatedAt.adding(.zero - clockLead)
    }

    /// The same with its instants by Redis's clock, which showed `time` when this copy's showed `now`.
    func moved(to time: Timestamp, from now: Timestamp) -> Session {
        let lead = time.duration(since: now)
        var moved = shifted(by: lead)
        moved.clockLead = clockLead + lead
        return moved
    }

    /// All its instants, by as much.
    func shifted(by lead: Duration) -> Session {
        var moved = self
        moved.createdAt = createdAt.adding(lead)
        moved.authenticatedAt = authenticatedAt.adding(lead)
        moved.absoluteEnd = absoluteEnd.adding(lead)
        moved.lastUsedAt = lastUsedAt.adding(lead)
        return moved
    }
}
