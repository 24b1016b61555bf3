import Networking

/// The life of a loop's connections, of what they carry and of what waits for them, as a value: events go in, and `nextAction` says what is
/// to be done, one thing after the other. `PostgresPool` does it.
struct PostgresPoolState {
    private enum Phase {
        /// Can become `draining`.
        case open
        /// Takes no new work and finishes what it has. Can become `closed`.
        case draining
        case closed
    }

    private enum Opening {
        /// Can become `connecting`, `resting`.
        case idle
        /// A connection is being made. Can become `idle`.
        case connecting
        /// An attempt has failed; a timer starts the next one. Can become `idle`.
        case resting
    }

    enum Action {
        case send(Query, on: Int)
        case finish(Exchange, Exchange.Answer)
        case answer(LeaseRequest, LeaseRequest.Answer)
        /// A connection is to be made; `connected` or `connectFailed` tells how that ended.
        case connect
        /// After so many failures in a row, a pause; then `rested()`.
        case rest(failures: Int)
        case close(Int, Closing)
        /// All connections are to be closed, and nothing is left to be done.
        case finishDraining
        /// `expire` is to be called then, instead of when it was to be called before.
        case setAlarm(Instant)
        case log(Note)
    }

    /// Why a connection is closed.
    enum Closing {
        case retired
        /// It has ended; what the server has said of a query in flight.
        case lost(ServerFailure?)
    }

    /// What is worth a line in the log.
    enum Note {
        case refused(Statement, ServerFailure)
        case notInTime(Statement)
        case connected
        case unreachable(ConnectFailure)
    }

    private struct Member {
        let id: Int
        var state: PostgresConnectionState
    }

    /// How many connections there may be.
    var connectionLimit: Int
    private let inFlightLimit: Int
    private let waitingLimit: Int
    private let patience: Duration

    private var phase = Phase.open
    private var opening = Opening.idle
    private var members: [Member] = []
    private var waiting = FIFO<Waiter>()
    private var actions = FIFO<Action>()
    private var alarm: Instant?
    private var lastID = 0
    /// Attempts to connect that have failed since the last that has not.
    private(set) var failures = 0
    private(set) var lastConnectFailure: ConnectFailure?
    /// When a statement was refused last because the server's disk is full.
    private(set) var diskWasFullAt: Instant?

    /// - Parameter limit: how many connections there may be at first.
    init(_ configuration: PostgresConfiguration, limit: Int? = nil) {
        connectionLimit = limit ?? max(1, configuration.connectionsPerLoop)
        inFlightLimit = configuration.inFlightLimit
        waitingLimit = configuration.waitingLimit
        patience = configuration.deadline
    }

    var isOpen: Bool {
        if case .open = phase { return true }
        return false
    }

    var isDraining: Bool {
        if case .draining = phase { return true }
        return false
    }

    var isClosed: Bool {
        if case .closed = phase { return true }
        return false
    }

    /// Whether the server is known not to be there.
    private var isDown: Bool { members.isEmpty && failures > 0 }

    var connectionIDs: [Int] { members.map(\.id) }

    /// How many queries are in flight, and how many wait.
    var load: [Int] { [members.reduce(0) { $0 + $1.state.depth }, waiting.count] }

    mutating func makeID() -> Int {
        lastID += 1
        return lastID
    }

    /// What is to be done next; nil when nothing can be done for now.
    mutating func nextAction(at now: Instant) -> Action? {
        while true {
            if let action = actions.popFirst() { return action }
            guard assignWaiting() || grantReservation() || absorbNews(at: now) || openIfNeeded() || finishDraining() else {
                return nil
            }
        }
    }

    /// Lets `change` act on a connection; false when it has gone.
    @discardableResult
    mutating func update(_ id: Int, _ change: (inout PostgresConnectionState) -> Void) -> Bool {
        guard let index = members.firstIndex(where: { $0.id == id }) else { return false }
        change(&members[index].state)
        return true
    }

    /// Makes sure that `expire` is called at `deadline` at the latest.
    private mutating func setAlarm(for deadline: Instant) {
        if let alarm, alarm <= deadline { return }
        alarm = deadline
        actions.append(.setAlarm(deadline))
    }
}

/// Work.
extension PostgresPoolState {
    /// A query comes, or a transaction. It is taken in, or turned away at once.
    mutating func submit(_ waiter: Waiter) {
        guard isOpen, !isDown else { return fail(waiter, .unavailable) }
        guard waiting.count < waitingLimit else { return fail(waiter, .overloaded) }
        waiting.append(waiter)
        setAlarm(for: waiter.deadline)
    }

    private mutating func fail(_ waiter: Waiter, _ error: PostgresError) {
        switch waiter {
        case .query(let query): actions.append(.finish(query.exchange, .failure(error)))
        case .lease(let request): actions.append(.answer(request, .failure(error)))
        }
    }

    /// A statement of a transaction comes. It fails where the connection has died or the transaction is over.
    mutating func submit(_ exchange: Exchange, in lease: Int) {
        guard let index = index(of: lease), !members[index].state.isLost, let current = members[index].state.lease else {
            actions.append(.finish(exchange, .failure(.unavailable)))
            return
        }
        members[index].state.updateLease { $0.hasBegun = true }
        send(Query(exchange, opening: current.hasBegun ? nil : current.isolation.opening), on: members[index].id)
    }

    /// The lease of a transaction; nil when its connection has gone.
    func lease(_ id: Int) -> Lease? {
        index(of: id).flatMap { members[$0].state.lease }
    }

    /// The connection that a transaction has.
    func connection(of lease: Int) -> Int? {
        index(of: lease).map { members[$0].id }
    }

    private func index(of lease: Int) -> Int? {
        members.firstIndex { $0.state.lease?.id == lease }
    }

    private mutating func send(_ query: Query, on id: Int) {
        actions.append(.send(query, on: id))
        setAlarm(for: query.deadline)
    }

    /// Sends the query that waits first, or finds a connection for the transaction that does. A query may pass a transaction that waits for
    /// its connection to be quiet, but not one for which there is no connection at all.
    private mutating func assignWaiting() -> Bool {
        guard let waiter = waiting.first, let index = leastBusy() else { return false }
        switch waiter {
        case .query(let query):
            guard members[index].state.depth < inFlightLimit else { return false }
            send(query, on: members[index].id)
        case .lease(let request):
            members[index].state.reserve(for: request)
        }
        _ = waiting.popFirst()
        return true
    }

    private func leastBusy() -> Int? {
        var best: Int?
        for index in members.indices where members[index].state.isShared {
            guard let other = best, members[index].state.depth >= members[other].state.depth else {
                best = index
                continue
            }
        }
        return best
    }

    private mutating func grantReservation() -> Bool {
        for index in members.indices {
            guard let request = members[index].state.grant() else { continue }
            actions.append(.answer(request, .success(request.lease.id)))
            return true
        }
        return false
    }

    /// The time of `setAlarm` has come: fails what has waited too long.
    mutating func expire(at now: Instant) {
        alarm = nil
        for waiter in waiting.extract(where: { $0.deadline <= now }) {
            fail(waiter, members.isEmpty ? .unavailable : .overloaded)
        }
        for index in members.indices {
            if let request = members[index].state.expireReservation(at: now) {
                actions.append(.answer(request, .failure(.overloaded)))
            }
            for exchange in members[index].state.expire(at: now, patience: patience) {
                actions.append(.finish(exchange, .failure(.deadlineExceeded)))
                actions.append(.log(.notInTime(exchange.statement)))
            }
        }
    }

    /// After `expire` and what followed from it: sees to it that it is called again.
    mutating func setNextAlarm() {
        let deadlines = waiting.all.map(\.deadline) + members.compactMap { $0.state.nextDeadline(patience: patience) }
        if let next = deadlines.min() { setAlarm(for: next) }
    }
}

/// Answers.
extension PostgresPoolState {
    /// Handles the answers that have come and the connections that have gone; false when there were none.
    private mutating func absorbNews(at now: Instant) -> Bool {
        let ids = members.filter(\.state.hasNews).map(\.id)
        for id in ids {
            guard let index = members.firstIndex(where: { $0.id == id }) else { continue }
            var again: [Waiter] = []
            for query in members[index].state.takeAnswered() {
                if conclude(query, on: index, at: now) == .sendAgain { again.append(.query(query)) }
            }
            waiting.prepend(again)
            if members[index].state.isOver { drop(index) }
        }
        return !ids.isEmpty
    }

    private enum Conclusion {
        case done
        case sendAgain
    }

    /// Hands an answer over, unless the query is to be sent once more.
    private mutating func conclude(_ query: Query, on index: Int, at now: Instant) -> Conclusion {
        switch query.outcome {
        case .success(let rows):
            if query.statement.name == Statements.setUp.name { setUp(index) }
            actions.append(.finish(query.exchange, .success(rows)))
            return .done
        case .failure(let failure):
            if failure.sqlState == ServerFailure.diskFull { diskWasFullAt = now }
            return conclude(query, failure, on: index)
        case nil:
            // A group without an answer: this is not the protocol we speak.
            members[index].state.lose()
            actions.append(.finish(query.exchange, .failure(.unavailable)))
            return .done
        }
    }

    private mutating func conclude(_ query: Query, _ failure: ServerFailure, on index: Int) -> Conclusion {
        actions.append(.log(.refused(query.statement, failure)))
        if query.statement.name == Statements.setUp.name { members[index].state.lose() }
        switch failure.remedy {
        case .report(let error):
            if error.isConflict { members[index].state.updateLease { $0.sawConflict = true } }
            actions.append(.finish(query.exchange, .failure(error)))
        case .leaveServer:
            members[index].state.retire()
            actions.append(.finish(query.exchange, .failure(.unavailable)))
        case .prepareAgain:
            // An unknown statement is prepared again there. A name that is taken cannot be.
            if !query.metUnknownStatement { members[index].state.retire() }
            if members[index].state.lease == nil, query.isAwaited, query.attempts == 1 { return .sendAgain }
            actions.append(.finish(query.exchange, .failure(.server(sqlState: failure.sqlState, constraint: nil))))
        }
        return .done
    }
}

/// Connections.
extension PostgresPoolState {
    /// Begins another connection when it is wanted: one at a time, and not while resting after a failure.
    private mutating func openIfNeeded() -> Bool {
        guard case .idle = opening, members.count < connectionLimit else { return false }
        guard isOpen ? wantsConnection : !waiting.isEmpty else { return false }
        opening = .connecting
        actions.append(.connect)
        return true
    }

    /// One is kept open; another is wanted when all that are there are busy.
    private var wantsConnection: Bool {
        members.allSatisfy(\.state.isBusy) || !waiting.isEmpty
    }

    /// An attempt to connect is over.
    /// - Returns: whether the connection is still wanted, if there is one.
    mutating func attemptEnds() -> Bool {
        opening = .idle
        return !isClosed
    }

    /// A connection has been made, and begins with the settings of the session.
    mutating func connected(_ id: Int, settings: Exchange, at now: Instant) {
        members.append(Member(id: id, state: PostgresConnectionState(at: now)))
        send(Query(settings, isAwaited: false), on: id)
    }

    /// The settings are in force: this server works.
    private mutating func setUp(_ index: Int) {
        members[index].state.setUp()
        if lastConnectFailure != nil || failures > 0 || members.count == 1 { actions.append(.log(.connected)) }
        lastConnectFailure = nil
        failures = 0
    }

    /// An attempt to connect has failed. Once for each cause, not for each attempt, that is worth a line.
    mutating func connectFailed(_ failure: ConnectFailure) {
        if failure != lastConnectFailure { actions.append(.log(.unreachable(failure))) }
        lastConnectFailure = failure
        rest()
    }

    /// Rests before the next attempt. Without any connection, whoever waits learns that there is no server.
    private mutating func rest() {
        failures += 1
        opening = .resting
        actions.append(.rest(failures: failures))
        guard members.isEmpty else { return }
        while let waiter = waiting.popFirst() { fail(waiter, .unavailable) }
    }

    mutating func rested() {
        opening = .idle
    }

    /// Gives up a connection that is lost or retired. What it has not answered fails, but for reads, which may be sent again.
    private mutating func drop(_ index: Int) {
        var member = members.remove(at: index)
        actions.append(.close(member.id, member.state.isLost ? .lost(member.state.headFailure) : .retired))
        let wasSetUp = member.state.isSetUp
        let use = member.state.use
        var again: [Waiter] = []
        for query in member.state.takeUnanswered() {
            if query.statement.isRetryable, query.attempts == 1, query.isAwaited, member.state.lease == nil {
                again.append(.query(query))
            } else {
                actions.append(.finish(query.exchange, .failure(.unavailable)))
            }
        }
        if case .reserved(let request) = use { again.append(.lease(request)) }
        waiting.prepend(again)
        if !wasSetUp, case .idle = opening { rest() }
    }

    /// Takes no new work from here on.
    mutating func drain() {
        if isOpen { phase = .draining }
    }

    /// Closes everything once there is nothing left to do.
    private mutating func finishDraining() -> Bool {
        guard isDraining, waiting.isEmpty, members.allSatisfy(\.state.isIdle) else { return false }
        phase = .closed
        members = []
        alarm = nil
        actions.append(.finishDraining)
        return true
    }
}
