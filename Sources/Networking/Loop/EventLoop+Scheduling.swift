/// What is to be called, and when. On the loop only.
extension EventLoop {
    /// Adds a connection's descriptor: handler called on each read or write edge. On the loop only.
    package func register(_ descriptor: Int32, handler: any ReadinessHandler) throws(SystemError) -> Registration {
        assert(isCurrent)
        return try poller.add(descriptor, .edge, handler: handler)
    }

    /// Adds a listening descriptor: handler called while there is something to accept. On the loop only.
    func registerListener(_ descriptor: Int32, handler: any ReadinessHandler) throws(SystemError) -> Registration {
        assert(isCurrent)
        return try poller.add(descriptor, .level, handler: handler)
    }

    func setPaused(_ paused: Bool, _ registration: Registration) {
        poller.setPaused(paused, registration)
    }

    /// Takes a descriptor out of the set, without closing it. On the loop only; a second call does nothing.
    package func deregister(_ registration: Registration) {
        assert(isCurrent)
        poller.remove(registration)
    }

    /// Runs `body` on the loop at `deadline` or as soon after as it can. On the loop only.
    @discardableResult
    package func schedule(at deadline: Instant, _ body: @escaping @Sendable () -> Void) -> LoopTimer {
        assert(isCurrent)
        let timer = LoopTimer(deadline: deadline, body: body)
        timers.insert(timer)
        return timer
    }

    /// Runs `body` on the loop after `delay`. On the loop only.
    @discardableResult
    package func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> LoopTimer {
        schedule(at: now + delay, body)
    }

    /// The timer will not fire; one that has fired is no error. On the loop only.
    package func cancel(_ timer: LoopTimer) {
        assert(isCurrent)
        timers.remove(timer)
    }

    /// Suspends the calling task, which must run on this loop.
    package func sleep(for duration: Duration) async {
        unsafe await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            schedule(after: duration) { unsafe continuation.resume() }
        }
    }

    /// Flushes `flushable` once the jobs of this turn have run. On the loop only; the caller hands itself over once a turn.
    ///
    /// - Parameter first: before the others, for a server that works while those are flushed.
    package func afterTurn(_ flushable: any Flushable, first: Bool = false) {
        assert(isCurrent)
        if first {
            dirty.insert(flushable, at: 0)
        } else {
            dirty.append(flushable)
        }
    }

    /// Says that a server that may be near was asked something. If it is, and there is no other work, the loop waits for
    /// its answer first, for a moment, and takes what the clients send meanwhile together. Under load the batches grow with the
    /// load, and the loop sleeps once a batch and not once a request. On the loop only.
    /// - Parameter alone: whether nothing else was awaited of it.
    func expectAnswer(on descriptor: Int32, alone: Bool) {
        question = Question(descriptor: descriptor, isAlone: alone)
    }

    /// Starts a task that stays on this loop. It is nobody's: what it waits for is not added to the request that starts it (`WaitTimes`).
    package func start(_ body: sending @escaping @isolated(any) () async -> Void) {
        Task.detached(executorPreference: self, operation: body)
    }
}
