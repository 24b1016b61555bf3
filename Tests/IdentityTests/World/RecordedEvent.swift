import Networking
import Postgres
import Text

@testable import Identity

/// An audit event as it is in PostgreSQL.
struct RecordedEvent: Equatable, Sendable {
    let kind: String
    let outcome: String
    let reason: String?
    let actor: String
    let userID: String?
    let sessionID: String?
    let clientID: String?
    let address: String?
    let referenceID: String?

    fileprivate static let all = Statement(
        name: "test_audit_events",
        sql: """
            SELECT kind, outcome, reason, actor, user_id::text, session_id, client_id, address, reference_id
            FROM audit_events ORDER BY occurred_at, id
            """)

    fileprivate init(_ row: Row) throws {
        kind = try row.string(0)
        outcome = try row.string(1)
        reason = try row.optionalString(2)
        actor = try row.string(3)
        userID = try row.optionalString(4)
        sessionID = try row.optionalString(5)
        clientID = try row.optionalString(6)
        address = try row.optionalString(7)
        referenceID = try row.optionalString(8)
    }
}

extension Copy {
    /// The events of these kinds, once there are so many of them.
    func events(_ kinds: String..., count: Int = 1) async throws -> [RecordedEvent] {
        while true {
            let events = try await recordedEvents().filter { kinds.contains($0.kind) }
            if events.count >= count { return events }
            await loop.sleep(for: .milliseconds(10))
        }
    }

    func recordedEvents() async throws -> [RecordedEvent] {
        try await parts.postgres.query(RecordedEvent.all).map { try RecordedEvent($0) }
    }
}

extension Copy {
    private static let details = Statement(
        name: "test_audit_details", sql: "SELECT detail::text FROM audit_events WHERE kind = $1 ORDER BY occurred_at, id")

    /// What else the events of a kind tell.
    func auditDetails(_ kind: String) async throws -> [JSONObject] {
        try await parts.postgres.query(Self.details, [.text(kind)]).map { row in
            try JSON.parse(row.string(0)).objectValue ?? JSONObject()
        }
    }
}
