/// What happened: the name under which it is stored, why, and whether it came to anything.
///
/// Each concept says what it records, in a file of its own (`AuditKind+Sessions`, …).
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

    init(_ name: String, reason: String? = nil, outcome: Outcome = .succeeded) {
        self.name = name
        self.reason = reason
        self.outcome = outcome
    }
}
