import CPostgres
import Networking
import Testing

@testable import Postgres

/// What happens to a pool, as a script: no server, no loop, no clock. The script is the shell: it keeps what it was told to do.
private struct Script {
    fileprivate(set) var state: PostgresPoolState
    var now = Instant(nanoseconds: 1_000_000_000_000)
    /// What was sent on each connection and has not been answered by the test.
    private(set) var sent: [Int: [Query]] = [:]
    private(set) var prepared: [String] = []
    private(set) var closed: [Int] = []
    private(set) var pauses: [Int] = []
    private(set) var alarms: [Instant] = []
    private(set) var connecting = 0
    private(set) var isOver = false
    let answers = Answers()

    /// What callers were told, in order.
    final class Answers {
        var told: [String] = []
    }

    init(connections: Int = 2, limit: Int? = nil, inFlight: Int = 32, waiting: Int = 4) throws {
        var configuration = try PostgresConfiguration(connectionString: "host=example")
        configuration.connectionsPerLoop = connections
        configuration.inFlightLimit = inFlight
        configuration.waitingLimit = waiting
        configuration.deadline = .seconds(5)
        state = PostgresPoolState(configuration, limit: limit)
        perform()
    }

    mutating func perform() {
        while let action = state.nextAction(at: now) {
            switch action {
            case .send(let query, let id):
                prepare(query, on: id)
                sent[id, default: []].append(query)
            case .finish(let exchange, let answer): exchange.finish(answer)
            case .answer(let request, let answer): request.finish(answer)
            case .connect: connecting += 1
            case .rest(let failures): pauses.append(failures)
            case .close(let id, _):
                closed.append(id)
                sent[id] = nil
            case .finishDraining: isOver = true
            case .setAlarm(let time): alarms.append(time)
            case .log: break
            }
        }
    }

    private mutating func prepare(_ query: Query, on id: Int) {
        let time = now
        var isNew = false
        state.update(id) { isNew = $0.send(query, at: time) }
        if isNew { prepared.append(query.statement.name) }
    }

    /// A connection is made and set up; returns its id.
    mutating func connect() -> Int {
        let id = begin()
        reply(on: id, .success)
        return id
    }

    /// The same before the server has answered anything.
    mutating func begin() -> Int {
        guard state.attemptEnds() else { return -1 }
        let id = state.makeID()
        let settings = Exchange(Statements.setUp, ParameterBuffer(numbers: []), deadline: now + .seconds(5))
        state.connected(id, settings: settings, at: now)
        perform()
        return id
    }

    mutating func connectFails() {
        _ = state.attemptEnds()
        state.connectFailed(ConnectFailure(message: "refused"))
        perform()
    }

    mutating func grow(to limit: Int) {
        state.connectionLimit = limit
        perform()
    }

    mutating func rests() {
        state.rested()
        perform()
    }

    mutating func query(_ name: StaticString = "select", retryable: Bool = false) {
        state.submit(.query(Query(exchange(name, retryable: retryable))))
        perform()
    }

    /// A caller who is told under the name of his statement.
    private func exchange(_ name: StaticString, retryable: Bool = false) -> Exchange {
        Exchange(
            Statement(name: name, sql: "SELECT 1", retryable: retryable), ParameterBuffer(numbers: []),
            deadline: now + .seconds(5)
        ) { [answers] answer in
            switch answer {
            case .success: answers.told.append("\(name)")
            case .failure(let error): answers.told.append("\(name): \(error)")
            }
        }
    }

    mutating func transaction(_ id: Int) {
        let request = LeaseRequest(Lease(id: id, isolation: .serializable), deadline: now + .seconds(5)) { [answers] answer in
            switch answer {
            case .success(let id): answers.told.append("lease \(id)")
            case .failure(let error): answers.told.append("lease: \(error)")
            }
        }
        state.submit(.lease(request))
        perform()
    }

    mutating func query(_ name: StaticString = "select", in lease: Int) {
        state.submit(exchange(name), in: lease)
        perform()
    }

    mutating func release(_ lease: Int, isOutsideTransaction: Bool = true) {
        guard let id = state.connection(of: lease) else { return }
        state.update(id) { $0.release(isOutsideTransaction: isOutsideTransaction) }
        perform()
    }

    enum Reply {
        case success
        case failure(String)
    }

    /// The server answers the first query in flight on a connection.
    mutating func reply(on id: Int, _ reply: Reply) {
        guard let query = sent[id]?.first else { return }
        sent[id]?.removeFirst()
        let time = now
        state.update(id) { connection in
            connection.startReading()
            func done(_ reply: PostgresConnectionState.Reply) {
                connection.receive(reply, at: time)
                connection.receive(.endOfCommand, at: time)
            }
            switch reply {
            case .success:
                if query.opening != nil { done(.rows(.none)) }
                done(.rows(.none))
            case .failure(let code): done(.failure(ServerFailure(sqlState: code)))
            }
            connection.receive(.endOfGroup, at: time)
        }
        perform()
    }

    mutating func lose(_ id: Int) {
        state.update(id) { $0.lose() }
        perform()
    }

    /// Time passes, and the alarm goes off.
    mutating func pass(_ duration: Duration) {
        now = now + duration
        state.expire(at: now)
        perform()
        state.setNextAlarm()
        perform()
    }

    mutating func drain() {
        state.drain()
        perform()
    }

    func depth(_ id: Int) -> Int { sent[id]?.count ?? 0 }
}

extension Rows {
    /// An answer without rows, made by libpq without a server.
    fileprivate static var none: Rows {
        guard let result = PQmakeEmptyPGresult(nil, PGRES_COMMAND_OK) else { preconditionFailure("no memory") }
        return Rows(ServerResult(result))
    }
}

@Suite struct PostgresPoolStateTests {
    // MARK: Connections

    @Test func `one connection is opened at once, and another when all are busy`() throws {
        var script = try Script()
        #expect(script.connecting == 1)
        let first = script.connect()
        #expect(script.connecting == 1)
        script.query()
        #expect(script.connecting == 2)
        let second = script.connect()
        script.query()
        #expect(script.depth(first) == 1 && script.depth(second) == 1)
        // There are as many as there may be.
        script.query()
        #expect(script.connecting == 2)
    }

    @Test func `a pool that starts has one connection, however busy, until it may grow`() throws {
        var script = try Script(connections: 3, limit: 1)
        _ = script.connect()
        script.query()
        script.query()
        #expect(script.connecting == 1)
        script.grow(to: 3)
        #expect(script.connecting == 2)
    }

    @Test func `queries wait for the first attempt, and are sent in order on its connection behind the settings`() throws {
        var script = try Script(connections: 1)
        script.query("a")
        script.query("b")
        let id = script.begin()
        #expect(script.sent[id]?.map(\.statement.name) == [Statements.setUp.name, "a", "b"])
        for _ in 0..<3 { script.reply(on: id, .success) }
        #expect(script.answers.told == ["a", "b"])
    }

    @Test func `when the first attempt fails, who waits is told, and who comes later at once, until one succeeds`() throws {
        var script = try Script()
        script.query("a")
        script.connectFails()
        #expect(script.answers.told == ["a: \(PostgresError.unavailable)"])
        script.query("b")
        #expect(script.answers.told.count == 2)
        #expect(script.connecting == 1)
        script.rests()
        #expect(script.connecting == 2)
        script.connectFails()
        #expect(script.pauses == [1, 2])
        script.rests()
        _ = script.connect()
        script.query("c")
        #expect(script.state.load == [1, 0])
        #expect(script.state.failures == 0)
    }

    @Test func `settings that are refused count as an attempt that has failed`() throws {
        var script = try Script(connections: 1)
        let id = script.begin()
        script.query("a")
        script.reply(on: id, .failure("42501"))
        #expect(script.closed == [id])
        #expect(script.pauses == [1])
        #expect(script.answers.told == ["a: \(PostgresError.unavailable)"])
    }

    @Test func `a connection that goes before it has answered rests, one that has worked is made anew at once`() throws {
        var script = try Script(connections: 1)
        let first = script.connect()
        script.lose(first)
        #expect(script.pauses.isEmpty && script.connecting == 2)
        let second = script.begin()
        script.lose(second)
        #expect(script.pauses == [1] && script.connecting == 2)
    }

    // MARK: Failures

    @Test func `a read in flight is sent once more on the next connection, and a write is not`() throws {
        var script = try Script(connections: 1)
        let first = script.connect()
        script.query("read", retryable: true)
        script.query("write")
        script.lose(first)
        #expect(script.answers.told == ["write: \(PostgresError.unavailable)"])
        let second = script.connect()
        #expect(script.sent[second]?.map(\.statement.name) == ["read"])
        script.lose(second)
        #expect(script.answers.told.last == "read: \(PostgresError.unavailable)")
    }

    @Test func `a statement that the server has forgotten is prepared again, once`() throws {
        var script = try Script(connections: 1)
        let id = script.connect()
        script.query("q")
        script.reply(on: id, .success)
        script.query("q")
        script.reply(on: id, .failure("26000"))
        #expect(script.depth(id) == 1)
        #expect(script.prepared.filter { $0 == "q" }.count == 2)
        script.reply(on: id, .failure("26000"))
        #expect(script.answers.told == ["q", "q: \(PostgresError.server(sqlState: "26000", constraint: nil))"])
    }

    @Test func `an outdated plan retires its connection, and the query is answered by the next one`() throws {
        var script = try Script(connections: 1)
        let first = script.connect()
        script.query("q")
        script.reply(on: first, .failure("0A000"))
        #expect(script.closed == [first])
        let second = script.connect()
        script.reply(on: second, .success)
        #expect(script.answers.told == ["q"])
    }

    @Test func `a server that has become a standby is left, with what is in flight answered`() throws {
        var script = try Script(connections: 1)
        let id = script.connect()
        script.query("a")
        script.query("b")
        script.reply(on: id, .failure("25006"))
        #expect(script.closed.isEmpty)
        script.query("c")
        #expect(script.depth(id) == 1)
        script.reply(on: id, .success)
        #expect(script.closed == [id])
        #expect(script.answers.told == ["a: \(PostgresError.unavailable)", "b"])
        #expect(script.state.load == [0, 1])
    }

    @Test func `a full disk is remembered`() throws {
        var script = try Script(connections: 1)
        let id = script.connect()
        script.query("a")
        script.reply(on: id, .failure("53100"))
        #expect(script.state.diskWasFullAt == script.now)
    }

    @Test func `an answer without a result, and an end that comes twice, are not the protocol`() throws {
        for replies in [[PostgresConnectionState.Reply.endOfGroup], [.endOfCommand, .endOfCommand], [.broken]] {
            var script = try Script(connections: 1)
            let id = script.connect()
            script.query("a")
            let time = script.now
            script.update(id) { connection in
                connection.startReading()
                for reply in replies { connection.receive(reply, at: time) }
            }
            #expect(script.closed == [id])
            #expect(script.answers.told == ["a: \(PostgresError.unavailable)"])
        }
    }

    // MARK: Bounds and deadlines

    @Test func `no more wait than may, and no more are in flight than may`() throws {
        var script = try Script(connections: 1, inFlight: 2, waiting: 3)
        let id = script.connect()
        for _ in 0..<6 { script.query("q") }
        #expect(script.depth(id) == 2)
        #expect(script.answers.told == ["q: \(PostgresError.overloaded)"])
        script.reply(on: id, .success)
        #expect(script.depth(id) == 2 && script.state.load == [2, 2])
    }

    @Test func `who has waited too long is told why: there was a server, or there was none`() throws {
        var script = try Script(connections: 1, inFlight: 1)
        script.query("none")
        script.pass(.seconds(5))
        #expect(script.answers.told == ["none: \(PostgresError.unavailable)"])
        let id = script.connect()
        script.transaction(7)
        script.query("a", in: 7)
        script.query("busy")
        script.pass(.seconds(4))
        #expect(script.depth(id) == 1)
        script.pass(.seconds(1))
        #expect(script.answers.told.contains("busy: \(PostgresError.overloaded)"))
    }

    @Test func `a query whose time is up is told, and its answer comes to nothing`() throws {
        var script = try Script(connections: 1)
        let id = script.connect()
        script.query("a")
        script.now = script.now + .seconds(3)
        script.query("b")
        script.reply(on: id, .success)
        script.now = script.now + .seconds(1)
        script.query("c")
        script.pass(.seconds(4))
        // The first in flight has been that for as long as a query may take: the connection is lost.
        #expect(script.answers.told == ["a", "b: \(PostgresError.deadlineExceeded)", "c: \(PostgresError.unavailable)"])
        #expect(script.closed == [id])
    }

    @Test func `the alarm is set for what is due first`() throws {
        var script = try Script(connections: 1)
        let start = script.now
        _ = script.connect()
        #expect(script.alarms == [start + .seconds(5)])
        script.query("a")
        #expect(script.alarms.count == 1)
        script.now = start + .seconds(2)
        script.pass(.seconds(3))
        #expect(script.state.load == [0, 0])
    }

    // MARK: Transactions

    @Test func `a transaction waits until its connection is quiet, and begins with its first statement`() throws {
        var script = try Script(connections: 1)
        let id = script.connect()
        script.query("before")
        script.transaction(7)
        #expect(script.answers.told.isEmpty)
        script.query("behind")
        #expect(script.depth(id) == 1)
        script.reply(on: id, .success)
        #expect(script.answers.told == ["lease 7", "before"])
        script.query("first", in: 7)
        script.query("second", in: 7)
        #expect(script.sent[id]?.map { $0.opening != nil } == [true, false])
        script.reply(on: id, .success)
        script.reply(on: id, .success)
        script.release(7)
        #expect(script.sent[id]?.map(\.statement.name) == ["behind"])
    }

    @Test func `a transaction whose connection goes is told at its next statement, and its end harms nobody`() throws {
        var script = try Script(connections: 1)
        let id = script.connect()
        script.transaction(7)
        script.query("a", in: 7)
        script.lose(id)
        #expect(script.answers.told == ["lease 7", "a: \(PostgresError.unavailable)"])
        script.query("b", in: 7)
        #expect(script.answers.told.last == "b: \(PostgresError.unavailable)")
        script.release(7)
        let next = script.connect()
        script.query("c")
        #expect(script.depth(next) == 1)
    }

    @Test func `a lease that comes back within a transaction costs its connection`() throws {
        for isInFlight in [false, true] {
            var script = try Script(connections: 1)
            let id = script.connect()
            script.transaction(7)
            script.query("a", in: 7)
            if !isInFlight { script.reply(on: id, .success) }
            script.release(7, isOutsideTransaction: isInFlight)
            #expect(script.closed == [id])
        }
    }

    @Test func `a transaction that waits for its connection gets another when that goes`() throws {
        var script = try Script(connections: 1)
        let first = script.connect()
        script.query("a")
        script.transaction(7)
        script.lose(first)
        let second = script.connect()
        #expect(script.answers.told == ["a: \(PostgresError.unavailable)", "lease 7"])
        #expect(script.state.connection(of: 7) == second)
    }

    @Test func `a transaction that has waited too long leaves its connection to others`() throws {
        var script = try Script(connections: 1)
        let id = script.connect()
        script.query("slow")
        script.transaction(7)
        script.now = script.now + .seconds(4)
        script.reply(on: id, .success)
        #expect(script.answers.told == ["lease 7", "slow"])
        script.transaction(8)
        script.pass(.seconds(5))
        #expect(script.answers.told.last == "lease: \(PostgresError.overloaded)")
        script.release(7)
        script.query("next")
        #expect(script.depth(id) == 1)
    }

    @Test func `a conflict is remembered by the lease`() throws {
        var script = try Script(connections: 1)
        let id = script.connect()
        script.transaction(7)
        script.query("a", in: 7)
        script.reply(on: id, .failure("40001"))
        #expect(script.state.lease(7)?.sawConflict == true)
        #expect(script.answers.told.last == "a: \(PostgresError.server(sqlState: "40001", constraint: nil))")
    }

    // MARK: The end

    @Test func `closing takes nothing new, finishes what has begun, and then closes`() throws {
        var script = try Script(connections: 1)
        let id = script.connect()
        script.query("a")
        script.drain()
        script.query("b")
        #expect(script.answers.told == ["b: \(PostgresError.unavailable)"])
        #expect(!script.isOver)
        script.reply(on: id, .success)
        #expect(script.isOver && script.state.isClosed)
        script.query("c")
        #expect(script.answers.told == ["b: \(PostgresError.unavailable)", "a", "c: \(PostgresError.unavailable)"])
    }

    @Test func `a connection that is made after the end is not wanted`() throws {
        var script = try Script(connections: 1)
        script.drain()
        #expect(script.isOver)
        #expect(script.begin() == -1)
    }

    @Test func `a transaction holds the end up until it is over`() throws {
        var script = try Script(connections: 1)
        _ = script.connect()
        script.transaction(7)
        script.drain()
        #expect(!script.isOver)
        script.query("a", in: 7)
        script.reply(on: script.state.connection(of: 7) ?? 0, .success)
        #expect(!script.isOver)
        script.release(7)
        #expect(script.isOver)
    }
}

extension Script {
    fileprivate mutating func update(_ id: Int, _ change: (inout PostgresConnectionState) -> Void) {
        state.update(id, change)
        perform()
    }
}
