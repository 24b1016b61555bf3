import Networking

/// A connection has a task only while it has something to do. While it waits for its client between requests, or for its client to read,
/// its stream tells it when to begin one.
extension HTTPConnection: StreamSleeper {
    /// What a connection waits for while it has no task.
    enum Rest {
        /// The next request.
        case idle
        /// That the client reads what was sent. No further request is read until then.
        case unread
    }

    /// Begins without a task: most new connections have not said anything yet.
    func begin() {
        let timeout = origin.expectsProxyHeader(server.proxies) ? timeouts.head : timeouts.idle
        phase = .resting(.idle)
        stream.setDeadline(began.advanced(byNanoseconds: timeout))
        stream.rest(self)
    }

    /// Gives the task up.
    func rest() {
        stream.rest(self)
        if stream.unsentCount > 0 {
            phase = .resting(.unread)
            hold(stream.bufferedBytes + unsentBody, for: .rest)
            stream.setDeadline(loop.now.advanced(byNanoseconds: timeouts.write))
        } else {
            restIdly()
        }
    }

    private func restIdly() {
        phase = .resting(.idle)
        hold(0, for: .rest)
        unsentBody = 0
        stream.setDeadline(began.advanced(byNanoseconds: timeouts.idle))
        if server.isGoing { restLast() }
    }

    /// Rests for as long as a busy client would need to ask again, and no longer.
    func restLast() {
        let end = began.advanced(byNanoseconds: timeouts.hot)
        stream.setDeadline(end)
        if end <= loop.now { stirred() }
    }

    nonisolated func stirred() {
        assumeIsolated { $0.stir() }
    }

    private func stir() {
        guard case .resting(let rest) = phase else { return }
        guard stream.isOpen else { return end() }
        switch rest {
        case .unread:
            if stream.unsentCount > 0 {
                if stream.isOverdue { abort() }
            } else if stream.hasNews || !stream.input.isEmpty {
                wake()
            } else {
                restIdly()
            }
        case .idle:
            // A request may have come that the loop has not been told of yet. It would be lost with the connection.
            if stream.hasNews || stream.isOverdue && stream.looksForNews() {
                wake()
            } else if stream.isOverdue {
                end()
            }
        }
    }

    private func wake() {
        stream.wakeUp()
        phase = .idle
        // It inherits this actor and so the loop. A task executor on top would be looked up at every switch between actors.
        Task { await run() }
    }
}

/// What a connection holds while it waits for its client.
extension HTTPConnection {
    enum Wait {
        /// Without a task.
        case rest
        case task
        /// For the handler and not for the client: it cannot be interrupted.
        case handler
    }

    /// What a task costs that waits.
    private static let taskBytes = 4096
    /// A whole body of up to so many bytes that came at once is not entered in the ledger.
    static let smallBody = 4096

    /// From now on it holds so many bytes, and whatever such a wait costs.
    func hold(_ bytes: Int, for wait: Wait) {
        var total = bytes
        switch wait {
        case .rest:
            waitsSince = loop.now
            lastHead = nil
        case .task:
            waitsSince = loop.now
            lastHead = nil
            total += Self.taskBytes
        case .handler:
            waitsSince = nil
        }
        // A closed connection has left the ledger, and must not grow there.
        guard total < held || total > held && stream.isOpen else { return }
        let more = total - held
        held = total
        server.ledger.hold(more, for: client)
    }

    /// Queues a part of an endless body. What the client has yet to take counts in large steps: most take all at once.
    func tell(_ bytes: [UInt8]) {
        stream.write(bytes)
        let more = stream.bufferedBytes + Self.taskBytes - held
        if abs(more) >= Self.largeAnswer { hold(stream.bufferedBytes, for: .task) }
    }

    /// From now on it holds nothing.
    func release() {
        guard held != 0 else { return }
        hold(0, for: .handler)
    }

    /// Since when it has waited for its client; nil while a request is being answered.
    var silentSince: Instant? {
        switch phase {
        case .resting, .idle, .receiving: began
        case .answering, .telling, .ending: nil
        }
    }

    /// Since when it has been between requests, with all answers sent; nil while it is not. One that takes no further request counts as the oldest.
    var idleSince: Instant? {
        switch phase {
        case .resting(.idle), .idle: stream.unsentCount == 0 && stream.input.count == 0 ? began : nil
        case .ending: Instant(nanoseconds: 0)
        case .resting(.unread), .receiving, .answering, .telling: nil
        }
    }

    /// Ends one that is between requests, for its place. Not if one has come that the loop has not been told of yet.
    /// - Returns: whether it has ended.
    func endIdle() -> Bool {
        let takesRequests = if case .ending = phase { false } else { true }
        guard !takesRequests || !stream.looksForNews() else { return false }
        end()
        return true
    }

    /// Ends it for the memory that it holds, or for its place.
    func shed() {
        abort()
    }

    /// Ends it without waiting for what its client has not read. A task that runs it notices.
    func abort() {
        stream.abort()
        end()
    }

    /// Ends it. A task that runs it notices; no further one is begun.
    func end() {
        stream.close()
        release()
        server.forget(self)
    }
}
