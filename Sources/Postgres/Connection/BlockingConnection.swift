import CPostgres
import Glibc

/// A connection that does not pipeline and whose calls wait for their answer; for a thread of its own.
///
/// A statement may take as long as it takes, but its server must be there: each time nothing has come for as long as a query may take, a
/// second connection asks whether the server still works on it. One that is not heard of so for three times is given up.
final class BlockingConnection {
    /// Why a call has no answer.
    enum Failure: Error, Equatable {
        case server(ServerFailure)
        case connectionLost
        /// Nothing came, and the server does not work on it as far as it can be asked.
        case silent
        /// A parameter or a column is not what it must be.
        case mismatch(PostgresError)
    }

    /// What a second connection says of the server's work.
    private enum Sign {
        case working
        case missing
    }

    private let handle: ConnectionHandle
    private let configuration: PostgresConfiguration
    /// The server's process behind the connection; behind a pooler not the one that libpq knows.
    private var process: Int64?
    /// How often nothing may be heard of the server, one time after the other.
    private let patience: Int

    init(_ configuration: PostgresConfiguration, patience: Int = 3) throws(ConnectFailure) {
        self.configuration = configuration
        self.patience = patience
        handle = try ConnectionHandle.connect(configuration)
        guard handle.stopBlocking() else { throw ConnectFailure(message: handle.errorMessage) }
    }

    /// Asks the server which of its processes serves this connection, so that another connection can look after it.
    func introduce() throws(Failure) {
        process = try run("SELECT pg_backend_pid()") { row throws(PostgresError) in try row.int64(0) }.first
    }

    /// Whether a transaction is open and has not failed.
    var isInTransaction: Bool { unsafe PQtransactionStatus(handle.connection) == PQTRANS_INTRANS }

    /// Runs one statement, unprepared, and reads each of its rows.
    func run<T>(
        _ sql: String, _ parameters: [PostgresValue] = [], reading read: (Row) throws(PostgresError) -> T
    ) throws(Failure) -> [T] {
        let buffer = try mapping { () throws(PostgresError) in try ParameterBuffer(parameters) }
        let isSent = unsafe buffer.withPointers { values, lengths, formats in
            unsafe PQsendQueryParams(handle.connection, sql, Int32(buffer.count), nil, values, lengths, formats, 1) == 1
        }
        guard isSent else { throw .connectionLost }
        var values: [T] = []
        for row in try answer() { values.append(try mapping { () throws(PostgresError) in try read(row) }) }
        return values
    }

    /// Runs statements that stand one after another, up to the first that fails. The text must not contain a NUL.
    func runScript(_ sql: String) throws(Failure) {
        guard unsafe PQsendQuery(handle.connection, sql) == 1 else { throw .connectionLost }
        _ = try answer()
    }

    private func mapping<T>(_ body: () throws(PostgresError) -> T) throws(Failure) -> T {
        do throws(PostgresError) { return try body() } catch { throw .mismatch(error) }
    }

    /// The last result of what has been sent, once the server has finished all of it.
    private func answer() throws(Failure) -> Rows {
        var last: ServerResult?
        while true {
            try waitForResult()
            guard let pointer = unsafe PQgetResult(handle.connection) else { break }
            let result = unsafe ServerResult(pointer)
            last = result
            switch result.status {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY, PGRES_FATAL_ERROR: continue
            // COPY, which no statement of ours is: it would never end.
            default: throw .connectionLost
            }
        }
        guard let last else { throw .connectionLost }
        guard last.status == PGRES_FATAL_ERROR else { return Rows(last) }
        throw last.failure.map { .server($0) } ?? .connectionLost
    }

    /// Sends what is still to be sent, and waits until `PQgetResult` has something to say.
    private func waitForResult() throws(Failure) {
        var silences = 0
        while true {
            // What has been read is used, whatever becomes of the connection.
            let flush = handle.flush()
            if unsafe PQisBusy(handle.connection) == 0 { return }
            guard flush != .failed else { throw .connectionLost }
            switch handle.waitForInput(orOutput: flush == .incomplete, for: configuration.deadline) {
            case .ready:
                silences = 0
                let isOpen = handle.consumeInput()
                if !isOpen, unsafe PQisBusy(handle.connection) != 0 { throw .connectionLost }
            case .interrupted: continue
            case .nothing:
                silences = lookAfterServer() == .working ? 0 : silences + 1
                guard silences < patience else { throw .silent }
            }
        }
    }

    /// Asks by a second connection.
    private func lookAfterServer() -> Sign {
        guard let process else { return .missing }
        do {
            let other = try BlockingConnection(configuration, patience: 1)
            let answers = try other.run(Self.question, [.integer(process)]) { row throws(PostgresError) in try row.bool(0) }
            return answers == [true] ? .working : .missing
        } catch is ConnectFailure {
            // One that says why it lets nobody in, because too many are in for example, is there.
            return ConnectionHandle.ping(configuration) ? .working : .missing
        } catch {
            return .missing
        }
    }

    /// Where the server keeps no states, there is the process at least.
    private static let question = """
        SELECT EXISTS (
            SELECT FROM pg_stat_activity WHERE pid = $1::bigint AND coalesce(state NOT LIKE 'idle%', true)
        )
        """
}

extension ConnectionHandle {
    enum Wait {
        case ready, nothing, interrupted
    }

    /// Has no call wait for the socket any more. Without pipelining.
    func stopBlocking() -> Bool {
        unsafe PQsetnonblocking(connection, 1) == 0
    }

    /// Waits for the socket, for a bounded time.
    func waitForInput(orOutput: Bool, for duration: Duration) -> Wait {
        if hasInput { return .ready }
        var entry = pollfd(fd: socket, events: Int16(POLLIN) | (orOutput ? Int16(POLLOUT) : 0), revents: 0)
        let count = unsafe poll(&entry, 1, Int32(clamping: duration.serverMilliseconds))
        if count > 0 { return .ready }
        return count == 0 ? .nothing : .interrupted
    }
}
