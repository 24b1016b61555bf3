package import Text

/// One thing that happened to an account, a client or a key: who, what, when, from where, with which outcome. Never a secret.
package struct AuditEvent: Equatable, Sendable {
    /// Who did it.
    package enum Actor: Equatable, Sendable {
        /// Nobody who has proved anything.
        case anonymous
        case user(UserID)
        case client(ClientID)
        /// A person, by the name they gave if they gave one, and whence if that was not the command line.
        case administrator(name: String?, source: String?)
        /// The service of its own accord.
        case system
    }

    /// A version 7 UUID, so that events sort by time and a repeated write of one is recognised.
    package let id: UUID
    package let time: Timestamp
    package let kind: AuditKind
    package let actor: Actor
    /// The user whom it concerns, if there is one.
    package let userID: UserID?
    package let clientID: ClientID?
    package let sessionID: SessionID?
    /// The IP address of the caller.
    package let address: String?
    /// The id of the request, under which the log tells more.
    package let referenceID: String?
    /// Whatever else helps to understand it, small and without secrets.
    package let detail: JSONObject

    package init(
        id: UUID, time: Timestamp, kind: AuditKind, actor: Actor, userID: UserID? = nil, clientID: ClientID? = nil,
        sessionID: SessionID? = nil, address: String? = nil, referenceID: String? = nil, detail: JSONObject = JSONObject()
    ) {
        self.id = id
        self.time = time
        self.kind = kind
        self.actor = actor
        self.userID = userID
        self.clientID = clientID
        self.sessionID = sessionID
        self.address = address
        self.referenceID = referenceID
        self.detail = detail
    }

    /// The event as `AuditQueries.insert` takes it; the names are those of the columns.
    package var stored: JSONObject {
        var object = JSONObject()
        object["id"] = .string(id.description)
        object["occurred_at"] = .integer(time.milliseconds)
        object["kind"] = .string(kind.name)
        object["outcome"] = .string(kind.outcome.rawValue)
        object["reason"] = kind.reason.map { .string($0) }
        object["actor"] = .string(actorName)
        object["user_id"] = userID.map { .string($0.description) }
        object["client_id"] = clientID.map { .string($0.text) }
        object["session_id"] = sessionID.map { .string($0.text) }
        object["address"] = address.map { .string($0) }
        object["reference_id"] = referenceID.map { .string($0) }
        object["detail"] = .object(storedDetail)
        return object
    }

    /// The same event with another member of `detail`.
    func adding(_ key: String, _ value: JSONValue) -> AuditEvent {
        var detail = detail
        detail[key] = value
        return AuditEvent(
            id: id, time: time, kind: kind, actor: actor, userID: userID, clientID: clientID, sessionID: sessionID,
            address: address, referenceID: referenceID, detail: detail)
    }

    /// With the administrator's name, and whence if that was not the command line.
    private var storedDetail: JSONObject {
        guard case .administrator(let name, let source) = actor else { return detail }
        var detail = detail
        if let name { detail["operator"] = .string(name) }
        if let source { detail["source"] = .string(source) }
        return detail
    }

    private var actorName: String {
        switch actor {
        case .anonymous: "anonymous"
        case .user(let id): "user:\(id)"
        case .client(let id): "client:\(id)"
        case .administrator: "administrator"
        case .system: "system"
        }
    }
}

/// What happened: the name under which it is stored, why, and whether it came to anything.
///
/// Each concept says in its own folder what it records.
package struct AuditKind: Equatable, Sendable {
    /// Whether it came to what was asked for.
    package enum Outcome: String, Sendable {
        case succeeded, refused
    }

    /// As it is stored.
    package let name: String
    /// What distinguishes events of one name.
    package let reason: String?
    package let outcome: Outcome
    /// Whether it says nothing but that a session is in use; `RefreshRecording` decides whether that is recorded.
    let isOrdinaryUse: Bool

    init(_ name: String, reason: String? = nil, outcome: Outcome = .succeeded, isOrdinaryUse: Bool = false) {
        self.name = name
        self.reason = reason
        self.outcome = outcome
        self.isOrdinaryUse = isOrdinaryUse
    }
}
