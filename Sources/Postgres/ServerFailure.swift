import CPostgres
import Logging

/// An error that the server sent in answer to a statement, which has thereby had no effect.
struct ServerFailure: Error, Equatable {
    /// What to do about it.
    enum Remedy: Equatable {
        /// Tell the caller.
        case report(PostgresError)
        /// The statement is not prepared, or its plan is outdated: prepare it anew and send the query again.
        case prepareAgain
        /// The server will not do what we need any more: leave it, and tell the caller.
        case leaveServer
    }

    /// `invalid_sql_statement_name`: there is no prepared statement of this name.
    static let unknownStatement = "26000"

    /// `disk_full`: statements that need no more room go on.
    static let diskFull = "53100"

    let sqlState: String
    let constraint: String?
    /// The server's words, if they cannot quote a parameter or a row; for the log.
    let message: String?

    init(sqlState: String, constraint: String? = nil, message: String? = nil) {
        self.sqlState = sqlState
        self.constraint = constraint
        self.message = Self.quotesNoData(sqlState) ? message : nil
    }

    /// The parts of an error that are looked at, by their letters in the protocol (PostgreSQL 15, §55.8).
    private enum Field: UnicodeScalar {
        case sqlState = "C"
        case severity = "V"
        case primaryMessage = "M"
        case constraintName = "n"

        func read(_ result: OpaquePointer) -> String? {
            unsafe PQresultErrorField(result, Int32(rawValue.value)).map { unsafe String(cString: $0) }
        }
    }

    /// Reads an error or a notice, which stays the caller's to free. Nil when the error is libpq's own: then there is no
    /// SQLSTATE, and the connection is gone.
    init?(reading result: OpaquePointer) {
        guard let sqlState = unsafe Field.sqlState.read(result) else { return nil }
        self.init(
            sqlState: sqlState, constraint: unsafe Field.constraintName.read(result),
            message: unsafe Field.primaryMessage.read(result))
    }

    /// The same, of a notice with which the server ends the connection; nil for any other.
    init?(readingFarewell result: OpaquePointer) {
        guard let severity = unsafe Field.severity.read(result), severity == "FATAL" || severity == "PANIC" else { return nil }
        unsafe self.init(reading: result)
    }

    /// Codes: PostgreSQL 15, appendix A.
    var remedy: Remedy {
        switch sqlState {
        case "23505": .report(.uniqueViolation(constraint: constraint ?? ""))
        // query_canceled: statement_timeout has passed.
        case "57014": .report(.deadlineExceeded)
        // feature_not_supported is also how the server says that a "cached plan must not change result type".
        case Self.unknownStatement, "0A000": .prepareAgain
        // read_only_sql_transaction: this server has become, or always was, a standby.
        case "25006": .leaveServer
        // idle_in_transaction_session_timeout ends the connection.
        case "25P03": .report(.unavailable)
        // protocol_violation is how the server calls a wrong number of parameters.
        case "08P01": .report(.server(sqlState: sqlState, constraint: nil))
        default: .report(Self.means(unavailable: sqlState) ? .unavailable : .server(sqlState: sqlState, constraint: constraint))
        }
    }

    /// What a caller handles by himself is not worth a line.
    var level: LogLevel {
        switch remedy {
        case .report(.uniqueViolation), .prepareAgain: .debug
        case .report(let error) where error.isConflict: .debug
        case .report(.deadlineExceeded): .warning
        case .report, .leaveServer: .error
        }
    }

    /// Connection exceptions, insufficient resources, operator intervention and system errors are no fault of the statement.
    private static func means(unavailable sqlState: String) -> Bool {
        ["08", "53", "57", "58"].contains(String(sqlState.prefix(2)))
    }

    /// Data exceptions and constraint violations, and errors that functions raise, may quote what they are about.
    private static func quotesNoData(_ sqlState: String) -> Bool {
        ["08", "25", "28", "3D", "3F", "40", "42", "53", "54", "55", "57", "58", "XX"].contains(String(sqlState.prefix(2)))
    }
}
