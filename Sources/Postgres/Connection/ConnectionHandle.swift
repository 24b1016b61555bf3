import COpenSSL
import CPostgres
import Glibc

/// The one owner of a `PGconn`: libpq's calls, and nothing more.
// @unchecked: used by one thread at a time. The thread that connects hands it over to the loop and keeps nothing.
@safe
final class ConnectionHandle: @unchecked Sendable {
    enum Flush {
        case complete
        /// The socket takes no more for now.
        case incomplete
        case failed
    }

    /// For the extensions of this type only.
    let connection: OpaquePointer

    private let lastWords = LastWords()

    /// Takes over a connection. From here on the server's notices do not go to standard error, where libpq prints them; of
    /// those that come while it logs in, libpq lets nobody take hold.
    init(_ connection: OpaquePointer) {
        unsafe self.connection = unsafe connection
        // `lastWords` lives as long as the connection does.
        _ = unsafe PQsetNoticeReceiver(connection, receiveNotice, Unmanaged.passUnretained(lastWords).toOpaque())
    }

    deinit {
        unsafe PQfinish(connection)
    }

    var isBroken: Bool { unsafe PQstatus(connection) == CONNECTION_BAD }

    /// The descriptor, which libpq closes itself when the connection breaks; negative then.
    var socket: Int32 { unsafe PQsocket(connection) }

    /// Whether there is something to be read: on the socket, or in the rest of a TLS record that libpq has taken from it.
    /// At the end of the stream and after an error there is: just that.
    var hasInput: Bool {
        if let tls = unsafe PQsslStruct(connection, "OpenSSL"), unsafe SSL_pending(OpaquePointer(tls)) > 0 { return true }
        var byte: UInt8 = 0
        let count = unsafe recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK)
    }

    /// Whether the server is neither busy nor within a transaction.
    var isOutsideTransaction: Bool { unsafe PQtransactionStatus(connection) == PQTRANS_IDLE }

    /// libpq's words for what went wrong, in one line; for the log, because they name hosts and users.
    var errorMessage: String {
        guard let text = unsafe PQerrorMessage(connection) else { return "" }
        return unsafe String(cString: text).split(separator: "\n").joined(separator: "; ")
    }

    /// Why the server ends the connection, if it has said so while nothing was asked.
    var farewell: ServerFailure? { lastWords.failure }

    /// Turns to non-blocking pipeline mode, for good.
    func startPipelining() -> Bool {
        unsafe PQsetnonblocking(connection, 1) == 0 && PQenterPipelineMode(connection) == 1
    }

    /// Queues the preparation of a statement.
    func prepare(_ statement: Statement) -> Bool {
        unsafe PQsendPrepare(connection, statement.name, statement.sql, 0, nil) == 1
    }

    /// Queues a prepared statement; its rows come in binary form.
    func execute(_ statement: Statement, _ parameters: ParameterBuffer) -> Bool {
        unsafe parameters.withPointers { values, lengths, formats in
            unsafe PQsendQueryPrepared(
                connection, statement.name, Int32(parameters.count), values, lengths, formats, 1) == 1
        }
    }

    /// Queues a statement without parameters, unprepared.
    func execute(_ sql: StaticString) -> Bool {
        unsafe PQsendQueryParams(connection, sql.description, 0, nil, nil, nil, nil, 1) == 1
    }

    /// Ends a group: an error skips the rest of its group only, and each group is a transaction of its own.
    ///
    /// libpq 15 also sends what is queued, so there is nothing to be gained from gathering the queries of a loop's turn.
    func endGroup() -> Bool {
        unsafe PQpipelineSync(connection) == 1
    }

    func flush() -> Flush {
        switch unsafe PQflush(connection) {
        case 0: .complete
        case 1: .incomplete
        default: .failed
        }
    }

    /// Reads some of what the socket holds; false when the connection is gone.
    func consumeInput() -> Bool {
        let isOpen = unsafe PQconsumeInput(connection) == 1
        // Takes the notices up that nobody asks for.
        _ = unsafe PQisBusy(connection)
        return isOpen
    }

    /// The next reply, if it has been read completely. Only while there are groups to be answered.
    func nextReply() -> PostgresConnectionState.Reply? {
        guard unsafe PQisBusy(connection) == 0 else { return nil }
        guard let pointer = unsafe PQgetResult(connection) else { return .endOfCommand }
        let result = unsafe ServerResult(pointer)
        switch result.status {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return .rows(Rows(result))
        case PGRES_FATAL_ERROR: return result.failure.map { .failure($0) } ?? .broken
        case PGRES_PIPELINE_ABORTED: return .skipped
        case PGRES_PIPELINE_SYNC: return .endOfGroup
        default: return .broken
        }
    }
}

/// What a server says before it ends a connection on which nothing is asked.
private final class LastWords {
    var failure: ServerFailure?
}

/// Keeps the reason for which a connection ends, and drops all other notices.
private func receiveNotice(_ context: UnsafeMutableRawPointer?, _ result: OpaquePointer?) {
    guard let context = unsafe context, let result = unsafe result else { return }
    guard let failure = unsafe ServerFailure(readingFarewell: result) else { return }
    unsafe Unmanaged<LastWords>.fromOpaque(context).takeUnretainedValue().failure = failure
}
