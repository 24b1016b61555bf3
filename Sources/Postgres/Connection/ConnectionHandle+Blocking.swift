import CPostgres

/// Calls that wait for their answer, on a connection that does not pipeline; for a thread of its own.
extension ConnectionHandle {
    /// Why a blocking call has no answer.
    enum BlockingFailure: Error, Equatable {
        case server(ServerFailure)
        case connectionLost
        /// A parameter or a column is not what it must be.
        case mismatch(PostgresError)
    }

    /// Runs one statement, unprepared, and reads each of its rows.
    func run<T>(
        _ sql: String, _ parameters: [PostgresValue] = [], reading read: (Row) throws(PostgresError) -> T
    ) throws(BlockingFailure) -> [T] {
        let rows = try run(sql, try mapping { () throws(PostgresError) in try ParameterBuffer(parameters) })
        var values: [T] = []
        for row in rows { values.append(try mapping { () throws(PostgresError) in try read(row) }) }
        return values
    }

    private func run(_ sql: String, _ parameters: ParameterBuffer) throws(BlockingFailure) -> Rows {
        let pointer = unsafe parameters.withPointers { values, lengths, formats in
            unsafe PQexecParams(connection, sql, Int32(parameters.count), nil, values, lengths, formats, 1)
        }
        return try unsafe rows(of: pointer)
    }

    private func mapping<T>(_ body: () throws(PostgresError) -> T) throws(BlockingFailure) -> T {
        do throws(PostgresError) { return try body() } catch { throw .mismatch(error) }
    }

    /// Runs statements that stand one after another, up to the first that fails. The text must not contain a NUL.
    func runScript(_ sql: String) throws(BlockingFailure) {
        _ = try unsafe rows(of: PQexec(connection, sql))
    }

    /// Whether a transaction is open and has not failed.
    var isInTransaction: Bool { unsafe PQtransactionStatus(connection) == PQTRANS_INTRANS }

    private func rows(of pointer: OpaquePointer?) throws(BlockingFailure) -> Rows {
        guard let pointer = unsafe pointer else { throw .connectionLost }
        let result = unsafe ServerResult(pointer)
        switch result.status {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return Rows(result)
        default: throw result.failure.map { .server($0) } ?? .connectionLost
        }
    }
}
