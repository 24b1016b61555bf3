import CPostgres

/// A connection for masses of rows, whose calls block: for a thread of a `BlockingPool`, and for commands only.
///
/// A statement may take minutes. A server that is gone is noticed by the kernel (`tcp_user_timeout` and keepalives), and then the call
/// fails.
// @unchecked: used by one thread at a time; whoever hands it on keeps nothing.
package final class BulkConnection: @unchecked Sendable {
    package enum Failure: Error, Equatable, Sendable {
        case unavailable(reason: String)
        /// The server refused a statement, which had no effect. The message has none of the data.
        case refused(sqlState: String, message: String?)
        /// A parameter or a column is not what it must be.
        case mismatch
    }

    /// Nothing of ours takes so long; it ends what hangs on a lock.
    private static let statementTimeout = 300_000

    private let handle: ConnectionHandle

    /// - Throws: `Failure.unavailable`.
    package init(_ configuration: PostgresConfiguration) throws(Failure) {
        do throws(ConnectFailure) {
            handle = try ConnectionHandle.connect(configuration)
        } catch {
            throw .unavailable(reason: error.message)
        }
        try runScript(
            "SET statement_timeout = \(Self.statementTimeout); SET lock_timeout = 60000; SET synchronous_commit = off; SET jit = off"
        )
    }

    /// Runs statements that stand one after another.
    package func runScript(_ sql: String) throws(Failure) {
        let result = unsafe PQexec(handle.connection, sql)
        _ = unsafe try check(result)
    }

    /// Runs one statement.
    @discardableResult
    package func run(_ sql: String, _ parameters: [PostgresValue] = []) throws(Failure) -> Rows {
        guard let buffer = try? ParameterBuffer(parameters) else { throw .mismatch }
        let result = unsafe buffer.withPointers { values, lengths, formats in
            unsafe PQexecParams(handle.connection, sql, Int32(buffer.count), nil, values, lengths, formats, 1)
        }
        return unsafe try check(result)
    }

    /// Sends rows to a `COPY … FROM STDIN (FORMAT binary)`, if there are any.
    /// - Throws: `Failure.mismatch` also for more than libpq takes at once, 2 GiB.
    package func copy(_ rows: CopyRows, to target: String) throws(Failure) {
        guard !rows.isEmpty else { return }
        let opened = unsafe PQexec(handle.connection, "COPY \(target) FROM STDIN (FORMAT binary)")
        let isOpen = unsafe PQresultStatus(opened) == PGRES_COPY_IN
        guard isOpen else {
            _ = unsafe try check(opened)
            throw .mismatch
        }
        unsafe PQclear(opened)
        let isSent = send(rows.bytes) && send(CopyRows.trailer)
        guard unsafe PQputCopyEnd(handle.connection, isSent ? nil : "not sent") == 1 else {
            throw .unavailable(reason: handle.errorMessage)
        }
        var failure: Failure?
        while let result = unsafe PQgetResult(handle.connection) {
            do throws(Failure) { _ = unsafe try check(result) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func send(_ bytes: [UInt8]) -> Bool {
        guard let count = Int32(exactly: bytes.count) else { return false }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return true }
            return unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                unsafe PQputCopyData(handle.connection, $0, count) == 1
            }
        }
    }

    /// Runs statements in a transaction, which is undone if `body` throws.
    package func transaction<T>(_ body: () throws(Failure) -> T) throws(Failure) -> T {
        try runScript("BEGIN")
        do throws(Failure) {
            let value = try body()
            try runScript("COMMIT")
            return value
        } catch {
            try? runScript("ROLLBACK")
            throw error
        }
    }

    private func check(_ result: OpaquePointer?) throws(Failure) -> Rows {
        guard let result = unsafe result else { throw .unavailable(reason: handle.errorMessage) }
        let answer = unsafe ServerResult(result)
        switch answer.status {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return Rows(answer)
        default:
            guard let failure = answer.failure else { throw .unavailable(reason: handle.errorMessage) }
            throw .refused(sqlState: failure.sqlState, message: failure.message)
        }
    }
}
