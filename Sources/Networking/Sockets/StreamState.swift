/// The life of a stream, as a value: what the kernel, the owner and the clock say goes in, what is to be done comes out, and `Stream`
/// does it. `Waiter` is who waits for the peer.
struct StreamState<Waiter>: ~Copyable {
    private enum Life {
        /// Can become `broken`, `closed`.
        case open
        /// The peer or the kernel has ended it. Can become `closed`.
        case broken(StreamError)
        /// This side has ended it, for good.
        case closed
    }

    /// What a read would find.
    private enum Incoming {
        /// Perhaps something. Can become `nothing`, `last`.
        case perhaps
        /// Nothing, and an edge will say when there is something. Can become `perhaps`, `last`.
        case nothing
        /// The peer has said its last, so there will be no further edge: read on until the end. Can become `nothing`, if that was not so.
        case last
    }

    /// What a write would find.
    private enum Outgoing {
        /// Room, perhaps. Can become `full`.
        case open
        /// None, and an edge will say when there is some. Can become `open`.
        case full
    }

    private var life = Life.open
    private var incoming: Incoming
    private var outgoing = Outgoing.open
    private var reader: Waiter?
    private var writer: Waiter?
    private var clock = MovingDeadline()

    /// - Parameter isEmpty: whether there is nothing to read before the first edge.
    init(isEmpty: Bool = false) {
        incoming = isEmpty ? .nothing : .perhaps
    }

    var isOpen: Bool {
        if case .open = life { true } else { false }
    }

    var isClosed: Bool {
        if case .closed = life { true } else { false }
    }

    /// Whether a read may bring something: bytes, the end or an error.
    var mayRead: Bool {
        if case .nothing = incoming { false } else { true }
    }

    /// Whether a write may take something.
    var mayWrite: Bool {
        if case .open = outgoing { true } else { false }
    }

    /// - Throws: why the stream cannot go on.
    func checkOpen() throws(StreamError) {
        switch life {
        case .open: break
        case .closed: throw .closed
        case .broken(let error): throw error
        }
    }

    private mutating func takeReader() -> Waiter? {
        defer { reader = nil }
        return reader
    }

    private mutating func takeWriter() -> Waiter? {
        defer { writer = nil }
        return writer
    }

    /// Who waited, and is to be told.
    struct Woken {
        let reader: Waiter?
        let writer: Waiter?
    }

    private mutating func takeBoth() -> Woken {
        Woken(reader: takeReader(), writer: takeWriter())
    }
}

/// What the kernel says.
extension StreamState {
    /// An edge: there is something to read.
    /// - Parameter isLast: whether the peer has ended its side.
    /// - Returns: who waits for it.
    mutating func readable(isLast: Bool) -> Waiter? {
        switch incoming {
        case .perhaps, .nothing: incoming = isLast ? .last : .perhaps
        case .last: break
        }
        return takeReader()
    }

    /// An edge: the kernel takes more.
    mutating func writable() {
        outgoing = .open
    }

    /// A read has brought bytes.
    /// - Parameter isAll: whether it brought less than it could have: the socket is empty, and a new edge will say when it is not.
    mutating func read(isAll: Bool) {
        if isAll, case .perhaps = incoming { incoming = .nothing }
    }

    mutating func readWouldBlock() {
        incoming = .nothing
    }

    mutating func writeWouldBlock() {
        outgoing = .full
    }

    /// What could be written has been: whoever waits for that looks at how much is left.
    mutating func wrote() -> Waiter? {
        takeWriter()
    }

    /// The connection has failed.
    /// - Returns: who is to be told why; nil when it had ended already.
    mutating func failed(_ error: StreamError) -> Woken? {
        guard case .open = life else { return nil }
        life = .broken(error)
        return takeBoth()
    }
}

/// What the owner wants.
extension StreamState {
    enum Waiting: Equatable {
        /// There is no need to.
        case goesOn
        /// A timer is to be set anew, where there is one.
        case waits(alarm: Instant?)
    }

    /// Somebody wants to wait until there may be something to read.
    mutating func awaitInput(_ waiter: Waiter) -> Waiting {
        guard case .open = life, case .nothing = incoming else { return .goesOn }
        reader = waiter
        return .waits(alarm: clock.alarm())
    }

    /// Somebody wants to wait until something has been sent.
    mutating func awaitOutput(_ waiter: Waiter) -> Waiting {
        guard case .open = life else { return .goesOn }
        writer = waiter
        return .waits(alarm: clock.alarm())
    }

    /// A connection is being made: the first edge says how that ended.
    mutating func connects() {
        outgoing = .full
    }

    /// - Returns: who is to be told; nil when it was closed already.
    mutating func close() -> Woken? {
        if case .closed = life { return nil }
        life = .closed
        return takeBoth()
    }
}

/// What the clock says.
extension StreamState {
    /// - Returns: when a timer is to fire instead of the one that is set; nil when that one will do.
    mutating func setDeadline(_ deadline: Instant?) -> Instant? {
        clock.deadline = deadline
        return isClosed ? nil : clock.alarm()
    }

    func isOverdue(at now: Instant) -> Bool {
        clock.deadline.map { $0 <= now } ?? false
    }

    enum Alarm {
        case nothing
        /// The deadline has moved since: a timer is to be set for it.
        case again(at: Instant)
        /// Whoever waits is to be told. The stream stays usable.
        case timedOut(Woken)
    }

    /// The timer has fired.
    mutating func alarmFired(at now: Instant) -> Alarm {
        clock.fired()
        guard let deadline = clock.deadline else { return .nothing }
        if deadline <= now { return .timedOut(takeBoth()) }
        return clock.alarm().map { .again(at: $0) } ?? .nothing
    }
}

/// A deadline that moves often, and the one timer behind it: that fires at the earliest deadline that it was set for, and is set again then
/// if the deadline has moved.
struct MovingDeadline {
    var deadline: Instant?
    /// When the timer fires that is set.
    private var set: Instant?

    init() {}

    /// When a timer is to fire instead of the one that is set; nil when that one will do.
    mutating func alarm() -> Instant? {
        guard let deadline else { return nil }
        if let set, set <= deadline { return nil }
        set = deadline
        return deadline
    }

    mutating func fired() {
        set = nil
    }
}

/// Who waits for the peer of a stream.
@safe
struct StreamWaiter {
    private let continuation: UnsafeContinuation<Result<Void, StreamError>, Never>

    init(_ continuation: UnsafeContinuation<Result<Void, StreamError>, Never>) {
        unsafe self.continuation = unsafe continuation
    }

    func resume(_ result: Result<Void, StreamError>) {
        unsafe continuation.resume(returning: result)
    }
}

/// Who owns a stream that nobody awaits anything of.
package protocol StreamSleeper: AnyObject, Sendable {
    /// Called on the loop: there is something to read, or bytes have left, or the stream has failed, or its deadline has passed. What it
    /// is the stream says.
    func stirred()
}
