/// What becomes of a field that may be empty.
package enum FieldChange<Value: Sendable>: Sendable {
    case keep
    /// Nil empties it.
    case set(Value?)

    var changes: Bool {
        switch self {
        case .keep: false
        case .set: true
        }
    }

    /// Nil also for a field that keeps what it has.
    var value: Value? {
        switch self {
        case .keep: nil
        case .set(let value): value
        }
    }
}
