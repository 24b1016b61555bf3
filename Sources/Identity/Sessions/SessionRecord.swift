import Text

/// A session as the Redis hash `session:<sid>`.
///
/// The fields are `user`, `client`, `kind`, `method`, `device`, `network` where it is known, `email_verified` (`1`, or not there), `created`, `authenticated`,
/// `absolute_end`, `salt`, `generation`, `used`, for a cookie `idle` (its life after its last use), `cookie_salt` once the cookie
/// has been changed, after the first rotation `parent` and `rotated`, and for each access token that may be live a field named by
/// its hash (64 hexadecimal digits) with the value `<generation> <expiry>`. Instants are milliseconds since the epoch, by Redis's
/// clock. A tombstone has `ended`, `user`, `salt` and the access tokens. Names and values of up to 64 bytes keep the hash in the
/// compact encoding of Redis, at less than half the memory; that is why the hashes carry no prefix.
///
/// To forget one revoked access token takes no script: `HDEL session:<sid> <hash>`.
package enum SessionRecord: Sendable {
    case live(Session)
    case ended(SessionTombstone)
    case missing
    /// Something is there that we did not write.
    case malformed

    static let prefix = "session:"

    package static func key(_ id: SessionID) -> String {
        prefix + id.text
    }

    /// The fields to ask for with `HMGET`, in the order that `init(_:values:)` expects.
    package static let fieldNames = [
        "ended", "user", "username", "client", "kind", "method", "device", "created", "authenticated", "absolute_end", "salt",
        "generation", "parent", "rotated", "used", "idle", "cookie_salt", "network", "email_verified",
    ]

    /// Those of the fields of a new session that hold an instant.
    static let instants = ["created", "authenticated", "absolute_end", "used", "rotated"]

    /// The record of a new session as alternating names and values, for `HSET`.
    static func fields(of session: Session) -> [String] {
        var fields = [
            "user", session.userID.description, "username", session.username, "client", session.clientID.text, "kind",
            session.kind.rawValue, "method", session.method.stored, "device", session.device.text, "created",
            String(session.createdAt.milliseconds),
            "authenticated", String(session.authenticatedAt.milliseconds),
            "absolute_end", String(session.absoluteEnd.milliseconds), "salt", session.salt.storedText,
            "generation", String(session.refresh.generation), "used", String(session.lastUsedAt.milliseconds),
        ]
        if let step = session.refresh.lastStep {
            fields += ["parent", String(step.parent), "rotated", String(step.at.milliseconds)]
        }
        if let network = session.network { fields += ["network", network.text] }
        if session.emailVerified { fields += ["email_verified", "1"] }
        if let idle = session.ownIdleLife { fields += ["idle", String(idle.wholeMilliseconds)] }
        return fields
    }

    /// From the answer to `HMGET session:<sid> <fieldNames>`.
    /// - Parameter lead: how much the clock by which instants are told is ahead of this copy's.
    package init(_ id: SessionID, values: [String?], lead: Duration = .zero) {
        guard values.count == Self.fieldNames.count else {
            self = .malformed
            return
        }
        let fields = Dictionary(uniqueKeysWithValues: zip(Self.fieldNames, values)).compactMapValues(\.self)
        if fields.isEmpty {
            self = .missing
        } else if let ended = fields["ended"] {
            let tombstone = SessionEnd(rawValue: ended).map {
                SessionTombstone(
                    reason: $0, userID: fields["user"].flatMap { UserID($0) },
                    salt: fields["salt"].flatMap { SessionSalt(stored: $0) })
            }
            self = tombstone.map { .ended($0) } ?? .malformed
        } else {
            self = Session(id, fields: fields, lead: lead).map { .live($0) } ?? .malformed
        }
    }
}

extension Session {
    fileprivate init?(_ id: SessionID, fields: [String: String], lead: Duration) {
        func instant(_ name: String) -> Timestamp? {
            fields[name].flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
        }
        guard
            let userID = fields["user"].flatMap({ UserID($0) }),
            let clientID = fields["client"].flatMap({ ClientID($0) }),
            let kind = fields["kind"].flatMap({ SessionKind(rawValue: $0) }),
            let salt = fields["salt"].flatMap({ SessionSalt(stored: $0) }),
            let generation = fields["generation"].flatMap({ UInt32($0) }),
            let createdAt = instant("created"),
            let authenticatedAt = instant("authenticated"),
            let absoluteEnd = instant("absolute_end"),
            let lastUsedAt = instant("used")
        else { return nil }
        let step = fields["parent"].flatMap { UInt32($0) }.flatMap { parent in
            instant("rotated").map { RefreshRotation.Step(parent: parent, at: $0) }
        }
        self.init(
            id: id, userID: userID, username: fields["username"] ?? "", emailVerified: fields["email_verified"] == "1",
            clientID: clientID, kind: kind,
            method: SessionMethod(stored: fields["method"]), device: DeviceDescription(fields["device"] ?? ""),
            network: fields["network"].map { NetworkPrefix(stored: $0) }, createdAt: createdAt, authenticatedAt: authenticatedAt,
            absoluteEnd: absoluteEnd, salt: salt,
            refresh: RefreshRotation(mode: kind.refreshMode ?? .static, generation: generation, lastStep: step),
            lastUsedAt: lastUsedAt, ownIdleLife: fields["idle"].flatMap { Int64($0) }.map { .milliseconds($0) },
            cookieSalt: fields["cookie_salt"].flatMap { SessionSalt(stored: $0) }, clockLead: lead)
    }
}
