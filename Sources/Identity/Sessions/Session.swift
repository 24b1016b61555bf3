package import Text

/// One sign-in on one device: what a refresh token or a cookie refers to, and what is revoked as a whole.
package struct Session: Sendable {
    package let id: SessionID
    package let userID: UserID
    /// The user's e-mail address when the session began, as typed: what tokens and introspection say of him, without a look-up.
    package let username: String
    package let clientID: ClientID
    package let kind: SessionKind
    /// How the user proved who they are when it began.
    package let method: SessionMethod
    package let device: DeviceDescription
    /// When the session began.
    package let createdAt: Timestamp
    /// When the user last proved who they are in it: the `auth_time` of OpenID Connect Core §2.
    package let authenticatedAt: Timestamp
    /// The end that no amount of use puts off.
    package let absoluteEnd: Timestamp
    package let salt: SessionSalt
    /// In its place for cookies, once the cookie has been changed.
    package let cookieSalt: SessionSalt?
    /// Which refresh tokens count. A cookie session has the initial state and never changes it.
    package let refresh: RefreshRotation
    package let lastUsedAt: Timestamp
    /// How long it lives after its last use, if that is not for its client to say; a cookie session always has one.
    package let ownIdleLife: Duration?

    package init(
        id: SessionID, userID: UserID, username: String, clientID: ClientID, kind: SessionKind,
        method: SessionMethod = .password, device: DeviceDescription, createdAt: Timestamp, authenticatedAt: Timestamp,
        absoluteEnd: Timestamp, salt: SessionSalt, refresh: RefreshRotation, lastUsedAt: Timestamp,
        ownIdleLife: Duration? = nil, cookieSalt: SessionSalt? = nil
    ) {
        self.id = id
        self.userID = userID
        self.username = username
        self.clientID = clientID
        self.kind = kind
        self.method = method
        self.device = device
        self.createdAt = createdAt
        self.authenticatedAt = authenticatedAt
        self.absoluteEnd = absoluteEnd
        self.salt = salt
        self.cookieSalt = cookieSalt
        self.refresh = refresh
        self.lastUsedAt = lastUsedAt
        self.ownIdleLife = ownIdleLife
    }

    /// A session that begins now.
    package init(
        id: SessionID, userID: UserID, username: String, clientID: ClientID, kind: SessionKind,
        method: SessionMethod = .password, device: DeviceDescription, salt: SessionSalt, lifetime: SessionLifetime,
        beginningAt now: Timestamp
    ) {
        self.init(
            id: id, userID: userID, username: username, clientID: clientID, kind: kind, method: method, device: device,
            createdAt: now, authenticatedAt: now, absoluteEnd: now.adding(lifetime.absolute), salt: salt,
            refresh: RefreshRotation(mode: kind.refreshMode ?? .static), lastUsedAt: now,
            ownIdleLife: kind == .cookie ? lifetime.idle : nil
        )
    }
}
