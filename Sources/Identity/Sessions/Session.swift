package import Text

/// One sign-in on one device: what a refresh token or a cookie refers to, and what is revoked as a whole.
package struct Session: Sendable {
    package let id: SessionID
    package let userID: UserID
    /// The user's e-mail address when the session began, as typed: what tokens and introspection say of him, without a look-up.
    package let username: String
    /// Whether that address was known to be the user's when the session began.
    package let emailVerified: Bool
    package let clientID: ClientID
    package let kind: SessionKind
    /// How the user proved who they are when it began.
    package let method: SessionMethod
    package let device: DeviceDescription
    /// Whence it began; nil where nobody can tell, and for sessions of versions that did not ask.
    package let network: NetworkPrefix?
    /// When the session began.
    package private(set) var createdAt: Timestamp
    /// When the user last proved who they are in it: the `auth_time` of OpenID Connect Core §2.
    package private(set) var authenticatedAt: Timestamp
    /// The end that no amount of use puts off.
    package private(set) var absoluteEnd: Timestamp
    package let salt: SessionSalt
    /// In its place for cookies, once the cookie has been changed.
    package let cookieSalt: SessionSalt?
    /// Which refresh tokens count. A cookie session has the initial state and never changes it.
    package let refresh: RefreshRotation
    package private(set) var lastUsedAt: Timestamp
    /// How long it lives after its last use, if that is not for its client to say; a cookie session always has one.
    package let ownIdleLife: Duration?
    /// How much the clock that its instants are told by, which is Redis's, was ahead of this copy's when it was read.
    private var clockLead: Duration

    package init(
        id: SessionID, userID: UserID, username: String, emailVerified: Bool = false, clientID: ClientID, kind: SessionKind,
        method: SessionMethod = .password, device: DeviceDescription, network: NetworkPrefix? = nil, createdAt: Timestamp,
        authenticatedAt: Timestamp, absoluteEnd: Timestamp, salt: SessionSalt, refresh: RefreshRotation, lastUsedAt: Timestamp,
        ownIdleLife: Duration? = nil, cookieSalt: SessionSalt? = nil, clockLead: Duration = .zero
    ) {
        self.id = id
        self.userID = userID
        self.username = username
        self.emailVerified = emailVerified
        self.clientID = clientID
        self.kind = kind
        self.method = method
        self.device = device
        self.network = network
        self.createdAt = createdAt
        self.authenticatedAt = authenticatedAt
        self.absoluteEnd = absoluteEnd
        self.salt = salt
        self.cookieSalt = cookieSalt
        self.clockLead = clockLead
        self.refresh = refresh
        self.lastUsedAt = lastUsedAt
        self.ownIdleLife = ownIdleLife
    }

    /// A session that begins now.
    package init(
        id: SessionID, userID: UserID, username: String, emailVerified: Bool = false, clientID: ClientID, kind: SessionKind,
        method: SessionMethod = .password, device: DeviceDescription, network: NetworkPrefix? = nil, salt: SessionSalt,
        lifetime: SessionLifetime,
        beginningAt now: Timestamp
    ) {
        self.init(
            id: id, userID: userID, username: username, emailVerified: emailVerified, clientID: clientID, kind: kind,
            method: method, device: device, network: network, createdAt: now, authenticatedAt: now,
            absoluteEnd: now.adding(lifetime.absolute), salt: salt,
            refresh: RefreshRotation(mode: kind.refreshMode ?? .static), lastUsedAt: now,
            ownIdleLife: kind == .cookie ? lifetime.idle : nil
        )
    }
}

extension Session {
    /// What the clock of its instants shows when this copy's shows `now`: only that may be compared with them.
    func time(at now: Timestamp) -> Timestamp {
        now.adding(clockLead)
    }

    /// Its absolute end as this copy's clock shows it, for what is told by that: the life of tokens and cookies.
    package var ownAbsoluteEnd: Timestamp {
        absoluteEnd.adding(.zero - clockLead)
    }

    /// A session that this copy has made, told by the clock of who keeps it, which showed `time` at the `now` of this copy's.
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
