import Networking

/// The life of a loop's connection to Redis, as a value: events go in, what is to be done comes out, and `RedisConnection` does it.
///
/// `Receiver` is who gets the answer to a command in flight, `Waiter` who waits for the next connection.
struct RedisConnectionState<Receiver, Waiter>: ~Copyable {
    private enum Phase {
        /// There is no connection yet, or it has broken: commands fail. Can become `connecting`, `resting`, `closed`.
        case idle
        /// The first attempt after a connection: commands may wait for it. Can become `ready`, `resting`, `closed`.
        case connecting
        /// An attempt has failed or takes too long: commands fail until one succeeds. Can become `ready`, `closed`.
        case resting
        /// Commands are sent. Can become `leaving`, `idle`, `closed`.
        case ready(since: Instant)
        /// The commands in flight are awaited, new ones wait for the next connection. Can become `connecting`, `closed`.
        case leaving
        /// For good.
        case closed
    }

    private var phase = Phase.idle
    private var pending = PendingReplies<Receiver>()
    private var waiting: [Waiter] = []
    /// Whether the server answers and takes no writes, as of the last question.
    private(set) var refusesWrites = false
    /// Whether the server has not taken yet what it was to be told again.
    private(set) var owesWrites = false

    /// Commands that may be in flight, and commands that may wait.
    private let limit: Int
    /// In nanoseconds.
    private let commandDeadline: UInt64
    /// How long a connection is kept at least before it is left for a server that may have been replaced.
    private let leavingInterval: Duration

    init(limit: Int, commandDeadline: Duration, leavingInterval: Duration) {
        self.limit = limit
        self.commandDeadline = commandDeadline.wholeNanoseconds
        self.leavingInterval = leavingInterval
    }

    var inFlightCount: Int { pending.count }

    var waitingCount: Int { waiting.count }

    var isReady: Bool {
        if case .ready = phase { return true }
        return false
    }

    var isClosed: Bool {
        if case .closed = phase { return true }
        return false
    }

    private mutating func takeWaiting() -> [Waiter] {
        defer { waiting = [] }
        return waiting
    }

    private mutating func takePending() -> [Receiver] {
        defer { pending = PendingReplies() }
        return pending.all
    }
}

/// Commands and their answers.
extension RedisConnectionState {
    /// Whether a command has to wait for the next connection.
    var commandsWait: Bool {
        switch phase {
        case .connecting, .leaving: true
        case .idle, .ready, .resting, .closed: false
        }
    }

    enum Waiting {
        case waits
        /// There is no need to wait any more.
        case goesOn
        case refused(RedisError)
    }

    /// A command comes that cannot be sent yet.
    mutating func wait(_ waiter: Waiter) -> Waiting {
        guard commandsWait else { return .goesOn }
        guard waiting.count < limit else { return .refused(.overloaded) }
        waiting.append(waiter)
        return .waits
    }

    enum Sending: Equatable {
        case send
        /// Nothing else is in flight: the answer has to come until then.
        case sendAlone(deadline: Instant)
        case refused(RedisError)
    }

    /// So many commands are to be sent, at once, unless they are refused. Nothing may suspend between this and the writing: a command
    /// entered for a connection that has gone would be given the answer to another one on the next.
    mutating func send(_ receiver: Receiver, count: Int = 1, at now: Instant) -> Sending {
        guard case .ready = phase else { return .refused(.unavailable) }
        let before = pending.count
        guard before + count <= limit else { return .refused(.overloaded) }
        let deadline = now.advanced(byNanoseconds: commandDeadline)
        for _ in 0..<count { pending.append(receiver, deadline: deadline) }
        return before == 0 ? .sendAlone(deadline: deadline) : .send
    }

    enum Arrival: Equatable {
        /// Each of the answers belongs to a command: `answered()`.
        case answers
        /// Nothing was asked: this is not the protocol that Redis speaks.
        case unasked
        /// This process has stood still since it came: who is told now could have been told otherwise meanwhile.
        case late
    }

    /// Bytes have come.
    func received(at now: Instant) -> Arrival {
        guard let deadline = pending.nextDeadline else { return .unasked }
        return now <= deadline ? .answers : .late
    }

    /// A reply has been read: who gets it; nil when none is in flight.
    mutating func answered() -> Receiver? {
        pending.popFirst()
    }

    enum NextAnswer: Equatable {
        case none
        case until(Instant)
        /// The connection is left and owes nothing any more: it is to be closed.
        case close
    }

    /// All that has come has been read.
    var nextAnswer: NextAnswer {
        if let deadline = pending.nextDeadline { return .until(deadline) }
        if case .leaving = phase { return .close }
        return .none
    }
}

/// Connections.
extension RedisConnectionState {
    /// An attempt to connect begins; false when there shall be none any more.
    mutating func attemptBegins() -> Bool {
        switch phase {
        case .idle: phase = .connecting
        case .closed: return false
        // After a failure commands are not kept waiting, and a connection that was left has them wait already.
        case .connecting, .resting, .ready, .leaving: break
        }
        return true
    }

    /// An attempt has failed, or takes too long for commands to wait.
    /// - Returns: who need not wait any more.
    mutating func attemptFailed() -> [Waiter] {
        if isClosed { return [] }
        phase = .resting
        return takeWaiting()
    }

    /// A connection stands.
    /// - Parameter owesWrites: whether the server has not taken what it was to be told again.
    /// - Returns: who need not wait any more; nil when the connection is not wanted any more.
    mutating func connected(owesWrites: Bool, at now: Instant) -> [Waiter]? {
        if isClosed { return nil }
        phase = .ready(since: now)
        refusesWrites = false
        self.owesWrites = owesWrites
        return takeWaiting()
    }

    /// How a connection has ended, and what failed with it.
    enum Ended {
        /// It was closed on purpose: nothing is left in flight, and nobody needs to know.
        case closed
        /// It was left, and commands wait for the next one already.
        case left(failing: [Receiver], RedisError)
        case broken(failing: [Receiver], RedisError)
    }

    /// The connection has ended. Where that was for want of an answer in time, the commands are told so.
    mutating func ended(_ error: StreamError) -> Ended {
        let failure = error == .timedOut ? RedisError.deadlineExceeded : .unavailable
        switch phase {
        case .closed: return .closed
        case .leaving:
            phase = .connecting
            return .left(failing: takePending(), failure)
        case .idle, .connecting, .resting, .ready:
            phase = .idle
            return .broken(failing: takePending(), failure)
        }
    }

    /// There shall be no connection any more.
    mutating func close() -> (waiting: [Waiter], failing: [Receiver]) {
        phase = .closed
        return (takeWaiting(), takePending())
    }
}

/// What the server says of itself.
extension RedisConnectionState {
    enum Consequence: Equatable {
        case stay
        case close
    }

    /// A command was refused. What a server reads that is not ours any more is not to be believed: that connection ends at once, with all
    /// that is in flight. One without replicas is left without failing what is in flight. If the address leads to the same server again,
    /// that one is made do with until it is time to look again.
    mutating func refused(_ refusal: RedisRefusal, at now: Instant) -> Consequence {
        switch refusal {
        case .command, .service: return .stay
        case .role:
            switch phase {
            case .ready, .leaving: return .close
            case .idle, .connecting, .resting, .closed: return .stay
            }
        case .replicas:
            guard case .ready(let since) = phase, now.since(since) >= leavingInterval else { return .stay }
            phase = .leaving
            return pending.count == 0 ? .close : .stay
        }
    }

    /// The question whether the server takes writes has been answered.
    mutating func learned(refusesWrites: Bool) {
        self.refusesWrites = refusesWrites
    }

    /// The server has taken what it was to be told again.
    mutating func repeatedWrites() {
        owesWrites = false
    }
}

/// What an error of Redis is about.
enum RedisRefusal: Equatable {
    /// The command, not the server.
    case command
    /// The server cannot serve for now.
    case service
    /// A primary without replicas: it may have been replaced, and then the address leads to another server by now.
    case replicas
    /// It is a different server now, or it has forgotten us.
    case role

    init(kind: String) {
        switch kind {
        case "NOREPLICAS": self = .replicas
        case "LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY", "OOM", "MISCONF": self = .service
        case "READONLY", "NOAUTH", "MOVED", "ASK", "UNBLOCKED": self = .role
        default: self = .command
        }
    }
}

/// The commands in flight, in the order of their answers. The hottest queue there is: it belongs to this module, so that the compiler makes
/// it for its one receiver.
struct PendingReplies<Receiver> {
    private struct Entry {
        let receiver: Receiver
        let deadline: Instant
    }

    private var entries: ContiguousArray<Entry> = []
    private var head = 0

    var count: Int { entries.count - head }

    /// When the oldest command is too late.
    var nextDeadline: Instant? { count > 0 ? entries[head].deadline : nil }

    var all: [Receiver] { entries[head...].map(\.receiver) }

    mutating func append(_ receiver: Receiver, deadline: Instant) {
        entries.append(Entry(receiver: receiver, deadline: deadline))
    }

    mutating func popFirst() -> Receiver? {
        guard count > 0 else { return nil }
        let receiver = entries[head].receiver
        head += 1
        if head == entries.count {
            entries.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 1024 {
            entries.removeFirst(head)
            head = 0
        }
        return receiver
    }
}
