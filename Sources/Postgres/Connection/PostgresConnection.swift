import Networking

/// A pipelined connection: what has been sent and is not answered yet, in order. Confined to its pool.
///
/// Each query is a group of its own on the wire, so that an error in one leaves the others alone.
final class PostgresConnection {
    /// Who may send on it.
    enum Use {
        /// Any query.
        case shared
        /// None, until what is in flight is answered; then a transaction.
        case reserved(LeaseRequest)
        case leased(Lease)
    }

    let id: Int
    var use = Use.shared
    /// Set when it is to take no more queries, and to be closed when it has nothing left to do.
    var isRetiring = false
    /// Whether the session's settings are in force, which shows that the server answers.
    var isSetUp = false
    /// Whether the connection is of no use any more. What is in flight will not be answered.
    private(set) var isLost = false

    private let handle: ConnectionHandle
    private let registration: Registration
    private var inFlight = FIFO<Exchange>()
    private var answered: [Exchange] = []
    private var prepared: Set<String> = []
    private var hasUnsent = false
    /// Since when the first exchange in flight is the first.
    private var headSince: Instant

    init(_ handle: ConnectionHandle, id: Int, registration: Registration, now: Instant) {
        self.handle = handle
        self.id = id
        self.registration = registration
        headSince = now
    }

    /// How many exchanges await an answer.
    var depth: Int { inFlight.count }

    var isShared: Bool {
        if case .shared = use { return !isRetiring && !isLost }
        return false
    }

    var lease: Lease? {
        if case .leased(let lease) = use { return lease }
        return nil
    }

    /// Whether it has nothing to do and no transaction holds it.
    var isIdle: Bool { inFlight.isEmpty && lease == nil }

    /// Whether a caller's query is in flight, or no caller's query may be.
    var isBusy: Bool { !isShared || inFlight.count > (isSetUp ? 0 : 1) }

    /// Why the server has ended the connection, as far as it has said so.
    var farewell: ServerFailure? {
        if case .failure(let failure) = inFlight.first?.outcome { return failure }
        return handle.farewell
    }

    /// Whether the pool has something to do about it.
    var hasNews: Bool { !answered.isEmpty || isLost || (isRetiring && isIdle) }

    /// Whether the server has left the transaction, and nothing is in flight that might begin one.
    var isOutsideTransaction: Bool { inFlight.isEmpty && handle.isOutsideTransaction }

    /// Sends an exchange. What goes wrong shows as `isLost`.
    func send(_ exchange: Exchange, now: Instant) {
        if inFlight.isEmpty { headSince = now }
        inFlight.append(exchange)
        let statement = exchange.statement
        let isNew = prepared.insert(statement.name).inserted
        exchange.begin(preparing: isNew)
        guard enter(exchange, preparing: isNew) else {
            // What the server has answered before its end is good all the same.
            takeReplies(now: now)
            return lose()
        }
        flush(now: now)
    }

    /// Has libpq queue the group of an exchange; false when the connection is gone.
    private func enter(_ exchange: Exchange, preparing: Bool) -> Bool {
        if let opening = exchange.opening, !handle.execute(opening) { return false }
        if preparing, !handle.prepare(exchange.statement) { return false }
        return handle.execute(exchange.statement, exchange.parameters) && handle.endGroup()
    }

    /// Acts on what the kernel says of the socket.
    func ready(_ readiness: Readiness, now: Instant) {
        if readiness.wantsRead { read(untilEnd: !readiness.isDisjoint(with: .hangup), now: now) }
        if hasUnsent, !isLost { flush(now: now) }
    }

    /// The exchanges that have been answered since the last call.
    func takeAnswered() -> [Exchange] {
        defer { answered = [] }
        return answered
    }

    /// Fails the exchanges whose time is up; their answers will be dropped when they come. A server that lets one exchange
    /// wait for all of `patience` has also failed to cancel it: the connection is lost then.
    func expire(at now: Instant, patience: Duration) -> [Exchange] {
        let expired = inFlight.all.filter { $0.isAwaited && $0.deadline <= now }
        for exchange in expired { exchange.finish(.failure(.deadlineExceeded)) }
        if !inFlight.isEmpty, headSince + patience <= now { lose() }
        return expired
    }

    /// When `expire` has something to do next; nil while nothing is in flight.
    func nextDeadline(patience: Duration) -> Instant? {
        guard !inFlight.isEmpty else { return nil }
        return inFlight.all.filter(\.isAwaited).map(\.deadline).reduce(headSince + patience, min)
    }

    /// Has the statement prepared again before its next use, unless one that has been sent since does that already: of a name that is
    /// taken the server makes an error.
    private func forget(_ statement: Statement) {
        guard !inFlight.all.contains(where: { $0.isPreparing && $0.statement.name == statement.name }) else { return }
        prepared.remove(statement.name)
    }

    func lose() {
        isLost = true
    }

    /// Leaves the loop and returns what was not answered. The connection closes with the last reference to it.
    func close(on loop: EventLoop) -> [Exchange] {
        // libpq closes the socket when the connection breaks; the loop copes with a descriptor that has gone.
        loop.deregister(registration)
        lose()
        let unanswered = inFlight.all
        inFlight = FIFO()
        return unanswered
    }

    private func flush(now: Instant) {
        let flush = handle.flush()
        hasUnsent = flush == .incomplete
        // Where it cannot write, libpq reads, so that no edge may announce what has come. What was answered before the end is good.
        takeReplies(now: now)
        if flush == .failed { lose() }
    }

    /// Edges are announced once, so this reads until nothing is left, or nothing is awaited.
    ///
    /// - Parameter untilEnd: the server has ended its side: read on until that shows.
    private func read(untilEnd: Bool, now: Instant) {
        repeat {
            let isOpen = handle.consumeInput()
            takeReplies(now: now)
            if !isOpen { lose() }
        } while !isLost && (untilEnd || (!inFlight.isEmpty && handle.hasInput))
    }

    private func takeReplies(now: Instant) {
        var commandHasEnded = false
        while !isLost, let head = inFlight.first, let reply = handle.nextReply() {
            if case .endOfCommand = reply {
                // A command ends once. From a connection that has broken, libpq returns this for ever.
                if commandHasEnded { lose() }
                commandHasEnded = true
                continue
            }
            commandHasEnded = false
            switch reply {
            case .rows(let rows): head.receive(rows)
            case .failure(let failure): head.receive(failure)
            case .skipped, .endOfCommand: break
            case .endOfGroup:
                _ = inFlight.popFirst()
                headSince = now
                // Now, in the order of the answers: one that is read along with it may have prepared the statement again.
                if head.failedToPrepare || head.metUnknownStatement { forget(head.statement) }
                answered.append(head)
            case .broken: lose()
            }
        }
    }
}
