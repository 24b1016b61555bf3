import Networking

/// Does on a socket what a `PostgresConnectionState` says, and tells it what the server replies. Confined to its pool.
final class PostgresConnection {
    private let handle: ConnectionHandle
    private let registration: Registration
    private var hasUnsent = false

    init(_ handle: ConnectionHandle, registration: Registration) {
        self.handle = handle
        self.registration = registration
    }

    /// Why the server has ended the connection, as far as it has said so while nothing was asked.
    var farewell: ServerFailure? { handle.farewell }

    /// Whether the server has left the transaction.
    var isOutsideTransaction: Bool { handle.isOutsideTransaction }

    /// Sends a query.
    func send(_ query: Query, _ state: inout PostgresConnectionState, now: Instant) {
        let isPreparing = state.send(query, at: now)
        guard enter(query, preparing: isPreparing) else {
            // What the server has answered before its end is good all the same.
            takeReplies(&state, now: now)
            return state.lose()
        }
        flush(&state, now: now)
    }

    /// Has libpq queue the group of a query; false when the connection is gone.
    private func enter(_ query: Query, preparing: Bool) -> Bool {
        if let opening = query.opening, !handle.execute(opening) { return false }
        if preparing, !handle.prepare(query.statement) { return false }
        return handle.execute(query.statement, query.exchange.parameters) && handle.endGroup()
    }

    /// Acts on what the kernel says of the socket.
    func ready(_ readiness: Readiness, _ state: inout PostgresConnectionState, now: Instant) {
        if readiness.wantsRead { read(untilEnd: !readiness.isDisjoint(with: .hangup), &state, now: now) }
        if hasUnsent, !state.isLost { flush(&state, now: now) }
    }

    /// Leaves the loop. The connection closes with the last reference to it.
    func close(on loop: EventLoop) {
        // libpq closes the socket when the connection breaks; the loop copes with a descriptor that has gone.
        loop.deregister(registration)
    }

    private func flush(_ state: inout PostgresConnectionState, now: Instant) {
        let flush = handle.flush()
        hasUnsent = flush == .incomplete
        // Where it cannot write, libpq reads, so that no edge may announce what has come. What was answered before the end is good.
        takeReplies(&state, now: now)
        if flush == .failed { state.lose() }
    }

    /// Edges are announced once, so this reads until nothing is left, or nothing is awaited.
    ///
    /// - Parameter untilEnd: the server has ended its side: read on until that shows.
    private func read(untilEnd: Bool, _ state: inout PostgresConnectionState, now: Instant) {
        repeat {
            let isOpen = handle.consumeInput()
            takeReplies(&state, now: now)
            if !isOpen { state.lose() }
        } while !state.isLost && (untilEnd || (state.awaitsReply && handle.hasInput))
    }

    private func takeReplies(_ state: inout PostgresConnectionState, now: Instant) {
        state.startReading()
        while state.awaitsReply, let reply = handle.nextReply() { state.receive(reply, at: now) }
    }
}
