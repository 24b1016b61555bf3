import CPostgres

/// The rows that a statement returned, in binary form. They share the server's answer, which is freed with the last of them.
package struct Rows: Sendable, RandomAccessCollection {
    let result: ServerResult

    init(_ result: ServerResult) {
        self.result = result
    }

    package var startIndex: Int { 0 }

    package var endIndex: Int { result.rowCount }

    package subscript(position: Int) -> Row {
        precondition(indices.contains(position), "no such row")
        return Row(result: result, index: position)
    }

    /// How many rows the statement inserted, updated or deleted; for a query, how many it returned.
    package var affectedCount: Int { result.affectedCount }
}

/// One answer of libpq. Immutable, because nothing writes to it once libpq has handed it over.
// @unchecked: libpq only reads a finished result, so any thread may.
@safe
final class ServerResult: @unchecked Sendable {
    private let result: OpaquePointer
    let rowCount: Int
    private let columnCount: Int

    /// Takes over a result, which is freed with this object.
    init(_ result: OpaquePointer) {
        unsafe self.result = unsafe result
        rowCount = Int(unsafe PQntuples(result))
        columnCount = Int(unsafe PQnfields(result))
    }

    deinit {
        unsafe PQclear(result)
    }

    var status: ExecStatusType { unsafe PQresultStatus(result) }

    var affectedCount: Int {
        guard let text = unsafe PQcmdTuples(result) else { return 0 }
        return Int(unsafe String(cString: text)) ?? 0
    }

    /// What the server did, such as `COMMIT`.
    var commandTag: String {
        guard let text = unsafe PQcmdStatus(result) else { return "" }
        return unsafe String(cString: text)
    }

    /// The server's error; nil when the error is libpq's own.
    var failure: ServerFailure? { unsafe ServerFailure(reading: result) }

    /// The type of a column; nil when there is no such column or a `Row` cannot read it.
    func columnType(_ column: Int) -> ColumnType? {
        guard 0..<columnCount ~= column else { return nil }
        return ColumnType(rawValue: unsafe PQftype(result, Int32(column)))
    }

    /// Hands the bytes of a value to `body`; nil when it is NULL. Row and column must exist.
    func withValue<R>(row: Int, column: Int, _ body: (borrowing RawSpan) -> R) -> R? {
        guard unsafe PQgetisnull(result, Int32(row), Int32(column)) == 0 else { return nil }
        let length = Int(unsafe PQgetlength(result, Int32(row), Int32(column)))
        guard let start = unsafe PQgetvalue(result, Int32(row), Int32(column)) else { return nil }
        return body(unsafe RawSpan(_unsafeStart: start, byteCount: length))
    }
}
