import Text

/// A parameter of a statement. Its type at the server follows from its place in the SQL, so text serves for every type that
/// PostgreSQL can read from text.
package enum PostgresValue: Equatable, Sendable {
    case null
    case text(String)
    case integer(Int64)
    case bool(Bool)
    /// For `bytea`.
    case bytes([UInt8])
    /// For `timestamptz`: milliseconds since 1970-01-01T00:00:00Z.
    case timestamp(milliseconds: Int64)
    /// For an array of any type that can be read from text, such as `text[]` or `uuid[]`.
    case textArray([String])

    /// For `uuid`, in the usual text form.
    package static func uuid(_ text: String) -> PostgresValue {
        .text(text)
    }

    /// For `json` and `jsonb`.
    package static func json(_ text: String) -> PostgresValue {
        .text(text)
    }

    package static func integer(_ value: Int) -> PostgresValue {
        .integer(Int64(value))
    }

    /// The text, or NULL for nil.
    package static func text(orNull text: String?) -> PostgresValue {
        text.map { .text($0) } ?? .null
    }
}

/// Parameters may be secrets or personal data: none is ever printed.
extension PostgresValue: Redacted {}
