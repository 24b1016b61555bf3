import Networking

/// The life of a pipelined connection, as a value: what is sent, what the server replies and what the clock says goes in.
///
/// Each query is a group of its own on the wire, so that an error in one leaves the others alone.
struct PostgresConnectionState {
    /// How far the connection is.
    private enum Life {
        /// The session's settings have been sent. Can become `working`, `retiring`, `lost`.
        case settingUp
        /// They are in force, which shows that the server answers. Can become `retiring`, `lost`.
        case working
        /// It takes no more queries, and is closed when it has nothing left to do. Can become `lost`.
        case retiring(wasSetUp: Bool)
        /// It is of no use any more. What is in flight will not be answered.
        case lost(wasSetUp: Bool)
    }

    /// Who may send on it.
    enum Use {
        /// Any query. Can become `reserved`.
        case shared
        /// None, until what is in flight is answered; then a transaction. Can become `leased`, or `shared` when it was waited for too long.
        case reserved(LeaseRequest)
        /// A transaction. Can become `shared`.
        case leased(Lease)
    }

    /// What libpq has read of the server's answers, in the order of the commands.
    enum Reply {
        /// A command is done.
        case rows(Rows)
        case failure(ServerFailure)
        /// A command was skipped, because one before it in the same group failed.
        case skipped
        /// All replies of a command have been taken.
        case endOfCommand
        /// The group is over.
        case endOfGroup
        /// The connection is gone, or speaks of what was never asked.
        case broken
    }

    private var life = Life.settingUp
    private(set) var use = Use.shared
    private var inFlight = FIFO<Query>()
    private var answered: [Query] = []
    private var prepared: Set<String> = []
    /// Since when the first query in flight is the first.
    private var headSince: Instant
    /// Whether the reply before was the end of a command.
    private var commandHasEnded = false

    init(at now: Instant) {
        headSince = now
    }

    /// How many queries await an answer.
    var depth: Int { inFlight.count }

    var isSetUp: Bool {
        switch life {
        case .settingUp: false
        case .working: true
        case .retiring(let wasSetUp), .lost(let wasSetUp): wasSetUp
        }
    }

    var isLost: Bool {
        if case .lost = life { return true }
        return false
    }

    private var isRetiring: Bool {
        if case .retiring = life { return true }
        return false
    }

    /// Whether any query may be sent on it.
    var isShared: Bool {
        guard case .shared = use else { return false }
        switch life {
        case .settingUp, .working: return true
        case .retiring, .lost: return false
        }
    }

    var lease: Lease? {
        if case .leased(let lease) = use { return lease }
        return nil
    }

    /// Whether it has nothing to do and no transaction holds it.
    var isIdle: Bool { inFlight.isEmpty && lease == nil }

    /// Whether a caller's query is in flight, or no caller's query may be.
    var isBusy: Bool { !isShared || inFlight.count > (isSetUp ? 0 : 1) }

    /// Whether a reply is to be looked for.
    var awaitsReply: Bool { !isLost && !inFlight.isEmpty }

    /// Whether the pool has something to do about it.
    var hasNews: Bool { !answered.isEmpty || isOver }

    /// Whether it is to be closed.
    var isOver: Bool { isLost || (isRetiring && isIdle) }

    /// Why the server has failed the first query in flight, if it has.
    var headFailure: ServerFailure? {
        if case .failure(let failure) = inFlight.first?.outcome { return failure }
        return nil
    }
}

/// Queries and replies.
extension PostgresConnectionState {
    /// A query is being sent.
    /// - Returns: whether its statement has to be prepared in the same group.
    mutating func send(_ query: Query, at now: Instant) -> Bool {
        if inFlight.isEmpty { headSince = now }
        let isNew = prepared.insert(query.statement.name).inserted
        var query = query
        query.begin(preparing: isNew)
        inFlight.append(query)
        return isNew
    }

    /// Replies are looked for anew.
    mutating func startReading() {
        commandHasEnded = false
    }

    /// The server has replied. Only while a reply is awaited.
    mutating func receive(_ reply: Reply, at now: Instant) {
        if case .endOfCommand = reply {
            // A command ends once. From a connection that has broken, libpq returns this for ever.
            if commandHasEnded { lose() }
            commandHasEnded = true
            return
        }
        commandHasEnded = false
        switch reply {
        case .rows(let rows): inFlight.update(at: 0) { $0.receive(rows) }
        case .failure(let failure): inFlight.update(at: 0) { $0.receive(failure) }
        case .skipped, .endOfCommand: break
        case .endOfGroup:
            guard let head = inFlight.popFirst() else { return lose() }
            headSince = now
            // Now, in the order of the answers: one that is read along with it may have prepared the statement again.
            if head.failedToPrepare || head.metUnknownStatement { forget(head.statement) }
            answered.append(head)
        case .broken: lose()
        }
    }

    /// Has the statement prepared again before its next use, unless one that has been sent since does that already: of a name that is
    /// taken the server makes an error.
    private mutating func forget(_ statement: Statement) {
        guard !inFlight.all.contains(where: { $0.isPreparing && $0.statement.name == statement.name }) else { return }
        prepared.remove(statement.name)
    }

    /// The queries that have been answered since the last call.
    mutating func takeAnswered() -> [Query] {
        defer { answered = [] }
        return answered
    }

    /// The clock has moved on. A server that lets one query wait for all of `patience` has also failed to cancel it: the connection is lost
    /// then.
    /// - Returns: the exchanges whose time is up. Their answers will be dropped when they come.
    mutating func expire(at now: Instant, patience: Duration) -> [Exchange] {
        var expired: [Exchange] = []
        for (index, query) in inFlight.all.enumerated() where query.isAwaited && query.deadline <= now {
            expired.append(query.exchange)
            inFlight.update(at: index) { $0.abandon() }
        }
        if !inFlight.isEmpty, headSince + patience <= now { lose() }
        return expired
    }

    /// When `expire` has something to do next; nil while nothing is in flight.
    func nextDeadline(patience: Duration) -> Instant? {
        guard !inFlight.isEmpty else { return nil }
        return inFlight.all.filter(\.isAwaited).map(\.deadline).reduce(headSince + patience, min)
    }
}

/// Life and use.
extension PostgresConnectionState {
    /// The session's settings are in force.
    mutating func setUp() {
        switch life {
        case .settingUp: life = .working
        case .retiring: life = .retiring(wasSetUp: true)
        case .working, .lost: break
        }
    }

    /// It is to take no more queries.
    mutating func retire() {
        switch life {
        case .settingUp, .working: life = .retiring(wasSetUp: isSetUp)
        case .retiring, .lost: break
        }
    }

    /// The connection has ended, or can be relied on no more.
    mutating func lose() {
        life = .lost(wasSetUp: isSetUp)
    }

    /// What was not answered, which never will be.
    mutating func takeUnanswered() -> [Query] {
        lose()
        defer { inFlight = FIFO() }
        return inFlight.all
    }

    /// A transaction is to have it for itself.
    mutating func reserve(for request: LeaseRequest) {
        use = .reserved(request)
    }

    /// The transaction that may begin now; nil when there is none.
    mutating func grant() -> LeaseRequest? {
        guard case .reserved(let request) = use, inFlight.isEmpty, !isRetiring, !isLost else { return nil }
        use = .leased(request.lease)
        return request
    }

    /// The transaction that has waited for too long.
    mutating func expireReservation(at now: Instant) -> LeaseRequest? {
        guard case .reserved(let request) = use, request.deadline <= now else { return nil }
        use = .shared
        return request
    }

    /// Changes the lease, if there is one.
    mutating func updateLease(_ change: (inout Lease) -> Void) {
        guard case .leased(var lease) = use else { return }
        change(&lease)
        use = .leased(lease)
    }

    /// The transaction is over.
    /// - Parameter isOutsideTransaction: whether the server has left it too. If not, what would be sent next would be part of it.
    mutating func release(isOutsideTransaction: Bool) {
        use = .shared
        if !inFlight.isEmpty || !isOutsideTransaction { lose() }
    }
}
