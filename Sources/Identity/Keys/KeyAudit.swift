import Crypto
import Text

/// What is recorded of keys.
extension AuditKind {
    package static let signingKeyCreated = AuditKind("signing_key_created")
    package static let signingKeyActivated = AuditKind("signing_key_activated")
    /// Taken out of the key set by an operator, before its time.
    package static let signingKeyRetired = AuditKind("signing_key_retired")
    /// Nothing that it has signed is good any more.
    package static let signingKeyRemoved = AuditKind("signing_key_removed")
    /// Everything has been sealed with the present master key, by an operator.
    package static let masterKeyResealed = AuditKind("master_key_resealed")
}

/// What the audit log has of signing keys.
extension AuditEvent {
    /// - Parameter successor: the key that signs in its place from now on.
    package init(
        _ kind: AuditKind, of key: SigningKeyRecord, successor: String? = nil, by actor: Actor, system: SystemContext
    ) {
        var detail = JSONObject()
        detail["kid"] = .string(key.kid)
        detail["alg"] = .string(key.algorithm.rawValue)
        detail["was"] = .string(key.state.rawValue)
        detail["successor"] = successor.map { .string($0) }
        self.init(id: system.uuid(), time: system.now(), kind: kind, actor: actor, detail: detail)
    }
}

extension AuditEvent {
    /// - Parameter count: of values.
    package init(resealing count: Int, with key: MasterKey, by actor: Actor, system: SystemContext) {
        var detail = JSONObject()
        detail["from"] = key.other.map { .string($0.id.description) }
        detail["to"] = .string(key.id.description)
        detail["values"] = .integer(Int64(count))
        self.init(id: system.uuid(), time: system.now(), kind: .masterKeyResealed, actor: actor, detail: detail)
    }
}

extension KeyRotation.Step {
    package var key: SigningKeyRecord {
        switch self {
        case .replace(let key), .activate(let key), .remove(let key): key
        }
    }

    package var auditKind: AuditKind {
        switch self {
        case .replace: .signingKeyCreated
        case .activate: .signingKeyActivated
        case .remove: .signingKeyRemoved
        }
    }
}
