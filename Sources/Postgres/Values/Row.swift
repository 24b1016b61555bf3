/// One row of an answer; columns count from 0.
///
/// Each accessor throws `PostgresError.unexpectedColumn` when the column is missing or of another type, and, unless it is an
/// optional one, when the value is NULL. Types that are not named here are read after a cast to `text` in the SQL.
package struct Row: Sendable {
    let result: ServerResult
    let index: Int

    /// `text`, `varchar`, `char`, `name`, `json`, `jsonb` and `uuid` (in its usual form).
    package func optionalString(_ column: Int) throws(PostgresError) -> String? {
        try value(column) { type, bytes in
            switch type {
            case .text, .varchar, .bpchar, .name, .unknown, .json: BinaryValue.text(bytes)
            case .jsonb: BinaryValue.jsonb(bytes)
            case .uuid: BinaryValue.uuid(bytes)
            default: nil
            }
        }
    }

    /// `smallint`, `integer`, `bigint` and `oid`.
    package func optionalInt64(_ column: Int) throws(PostgresError) -> Int64? {
        try value(column) { type, bytes in
            switch type {
            case .int2: BinaryValue.integer(bytes, as: Int16.self)
            case .int4: BinaryValue.integer(bytes, as: Int32.self)
            case .int8: BinaryValue.integer(bytes, as: Int64.self)
            case .oid: BinaryValue.integer(bytes, as: UInt32.self)
            default: nil
            }
        }
    }

    /// `real` and `double precision`.
    package func optionalDouble(_ column: Int) throws(PostgresError) -> Double? {
        try value(column) { type, bytes in
            switch type {
            case .float4: BinaryValue.bits(bytes, as: UInt32.self).map { Double(Float(bitPattern: $0)) }
            case .float8: BinaryValue.bits(bytes, as: UInt64.self).map { Double(bitPattern: $0) }
            default: nil
            }
        }
    }

    /// `boolean`.
    package func optionalBool(_ column: Int) throws(PostgresError) -> Bool? {
        try value(column) { type, bytes in
            type == .bool ? BinaryValue.bits(bytes, as: UInt8.self).map { $0 != 0 } : nil
        }
    }

    /// `bytea`, and the 16 bytes of a `uuid`.
    package func optionalBytes(_ column: Int) throws(PostgresError) -> [UInt8]? {
        try value(column) { type, bytes in
            type == .bytea || type == .uuid ? BinaryValue.bytes(bytes) : nil
        }
    }

    /// `timestamptz`, in milliseconds since 1970-01-01T00:00:00Z, rounded down.
    package func optionalTimestamp(_ column: Int) throws(PostgresError) -> Int64? {
        try value(column) { type, bytes in
            type == .timestamptz ? BinaryValue.timestamp(bytes) : nil
        }
    }

    /// `text[]`, `varchar[]` and `uuid[]` of one dimension without NULLs.
    package func optionalStrings(_ column: Int) throws(PostgresError) -> [String]? {
        try value(column) { type, bytes in
            switch type {
            case .textArray, .varcharArray: BinaryValue.array(bytes, of: BinaryValue.text)
            case .uuidArray: BinaryValue.array(bytes, of: BinaryValue.uuid)
            default: nil
            }
        }
    }

    /// As `optionalString`; NULL is an error.
    package func string(_ column: Int) throws(PostgresError) -> String {
        try present(try optionalString(column), column)
    }

    /// As `optionalInt64`; NULL is an error.
    package func int64(_ column: Int) throws(PostgresError) -> Int64 {
        try present(try optionalInt64(column), column)
    }

    /// As `optionalDouble`; NULL is an error.
    package func double(_ column: Int) throws(PostgresError) -> Double {
        try present(try optionalDouble(column), column)
    }

    /// As `optionalBool`; NULL is an error.
    package func bool(_ column: Int) throws(PostgresError) -> Bool {
        try present(try optionalBool(column), column)
    }

    /// As `optionalBytes`; NULL is an error.
    package func bytes(_ column: Int) throws(PostgresError) -> [UInt8] {
        try present(try optionalBytes(column), column)
    }

    /// As `optionalTimestamp`; NULL is an error.
    package func timestamp(_ column: Int) throws(PostgresError) -> Int64 {
        try present(try optionalTimestamp(column), column)
    }

    /// As `optionalStrings`; NULL is an error.
    package func strings(_ column: Int) throws(PostgresError) -> [String] {
        try present(try optionalStrings(column), column)
    }

    /// The value as `read` makes of it; nil for NULL.
    private func value<T>(
        _ column: Int, _ read: (ColumnType, borrowing RawSpan) -> T?
    ) throws(PostgresError) -> T? {
        guard let type = result.columnType(column) else { throw .unexpectedColumn(column) }
        let outcome = result.withValue(row: index, column: column) { bytes in read(type, bytes) }
        guard let outcome else { return nil }
        guard let value = outcome else { throw .unexpectedColumn(column) }
        return value
    }

    private func present<T>(_ value: T?, _ column: Int) throws(PostgresError) -> T {
        guard let value else { throw .unexpectedColumn(column) }
        return value
    }
}

/// The types of PostgreSQL that a `Row` reads, by their fixed object id (`pg_type.dat` of the server).
enum ColumnType: UInt32 {
    case bool = 16
    case bytea = 17
    case name = 19
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case text = 25
    case oid = 26
    case json = 114
    case float4 = 700
    case float8 = 701
    case unknown = 705
    case textArray = 1009
    case varcharArray = 1015
    case bpchar = 1042
    case varchar = 1043
    case timestamptz = 1184
    case uuid = 2950
    case uuidArray = 2951
    case jsonb = 3802
}
