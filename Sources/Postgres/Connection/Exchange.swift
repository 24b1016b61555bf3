import Networking

/// A query on its way: what is asked, who waits for the answer and until when. Confined to its pool.
@safe
final class Exchange {
    typealias Answer = Result<Rows, PostgresError>

    let statement: Statement
    let parameters: ParameterBuffer
    let deadline: Instant
    /// Sent before the statement in the same group, so that neither is carried out without the other.
    private(set) var opening: StaticString?
    /// How often it has been sent.
    private(set) var attempts = 0
    private var continuation: UnsafeContinuation<Answer, Never>?
    /// Whether its group also prepares the statement.
    private(set) var isPreparing = false
    private var commandsDone = 0
    private var rows: Rows?
    private var failure: ServerFailure?

    /// An exchange that nobody waits for.
    init(_ statement: Statement, _ parameters: ParameterBuffer, deadline: Instant) {
        self.statement = statement
        self.parameters = parameters
        self.deadline = deadline
    }

    convenience init(
        _ statement: Statement, _ parameters: ParameterBuffer, deadline: Instant, continuation: UnsafeContinuation<Answer, Never>
    ) {
        self.init(statement, parameters, deadline: deadline)
        unsafe self.continuation = unsafe continuation
    }

    /// Whether somebody still waits for the answer.
    var isAwaited: Bool { unsafe continuation != nil }

    /// The answer of the server, once its group is over.
    var outcome: Result<Rows, ServerFailure>? {
        if let failure { return .failure(failure) }
        return rows.map { .success($0) }
    }

    /// Whether its group failed at or before the preparation of its statement.
    var failedToPrepare: Bool {
        isPreparing && failure != nil && commandsDone <= (opening == nil ? 0 : 1)
    }

    /// Whether the server knew nothing of its statement.
    var metUnknownStatement: Bool { failure?.sqlState == ServerFailure.unknownStatement }

    /// Has it begin a transaction.
    func open(with opening: StaticString) {
        self.opening = opening
    }

    /// Notes that it is being sent (again).
    func begin(preparing: Bool) {
        attempts += 1
        isPreparing = preparing
        commandsDone = 0
        rows = nil
        failure = nil
    }

    /// Notes the reply to a command of its group; the statement's own comes last.
    func receive(_ rows: Rows) {
        self.rows = rows
        commandsDone += 1
    }

    func receive(_ failure: ServerFailure) {
        self.failure = failure
    }

    /// Hands the answer to who waits for it, if anyone still does.
    func finish(_ answer: Answer) {
        let waiting = unsafe continuation
        unsafe continuation = nil
        unsafe waiting?.resume(returning: answer)
    }
}
