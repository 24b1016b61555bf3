import Networking

/// A query, its deadline and who gets the answer. Confined to its pool.
final class Exchange {
    typealias Answer = Result<Rows, PostgresError>

    let statement: Statement
    let parameters: ParameterBuffer
    let deadline: Instant
    private var receiver: ((Answer) -> Void)?

    /// - Parameter receiver: called once with the answer; nil for one that nobody waits for.
    init(
        _ statement: Statement, _ parameters: ParameterBuffer, deadline: Instant, receiver: ((Answer) -> Void)? = nil
    ) {
        self.statement = statement
        self.parameters = parameters
        self.deadline = deadline
        self.receiver = receiver
    }

    /// Hands the answer to who waits for it, if anyone still does.
    func finish(_ answer: Answer) {
        let receiver = receiver
        self.receiver = nil
        receiver?(answer)
    }
}

/// An exchange on its way: how often it has been sent, and what has been answered of it.
struct Query {
    let exchange: Exchange
    /// Sent before the statement in the same group, so that neither is carried out without the other.
    let opening: StaticString?
    /// Whether somebody still waits for the answer.
    private(set) var isAwaited: Bool
    /// How often it has been sent.
    private(set) var attempts = 0
    /// Whether its group also prepares the statement.
    private(set) var isPreparing = false
    private var commandsDone = 0
    private var rows: Rows?
    private var failure: ServerFailure?

    init(_ exchange: Exchange, opening: StaticString? = nil, isAwaited: Bool = true) {
        self.exchange = exchange
        self.opening = opening
        self.isAwaited = isAwaited
    }

    var statement: Statement { exchange.statement }

    var deadline: Instant { exchange.deadline }

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

    /// It is being sent (again).
    mutating func begin(preparing: Bool) {
        attempts += 1
        isPreparing = preparing
        commandsDone = 0
        rows = nil
        failure = nil
    }

    /// The reply to a command of its group; the statement's own comes last.
    mutating func receive(_ rows: Rows) {
        self.rows = rows
        commandsDone += 1
    }

    mutating func receive(_ failure: ServerFailure) {
        self.failure = failure
    }

    /// Nobody waits for the answer any more.
    mutating func abandon() {
        isAwaited = false
    }
}
