/// Who owns a stream that nobody awaits anything of.
package protocol StreamSleeper: AnyObject, Sendable {
    /// Called on the loop: there is something to read, or bytes have left, or the stream has failed, or its deadline has passed. What it
    /// is the stream says.
    func stirred()
}

/// Nobody waits: no task is needed until something happens.
extension Stream {
    /// From now on `sleeper` is told when something happens, until the stream is closed or `wakeUp()` is called.
    package func rest(_ sleeper: any StreamSleeper) {
        assert(loop.isCurrent)
        self.sleeper = sleeper
    }

    package func wakeUp() {
        sleeper = nil
    }

    /// Whether a read may bring something: bytes, the end or an error.
    package var hasNews: Bool { mayRead }

    /// Asks the system whether bytes have come that the loop has not been told of.
    package func looksForNews() -> Bool {
        if !mayRead, isOpen, Socket.hasInput(descriptor) { mayRead = true }
        return mayRead
    }

    /// Whether neither side has ended it by failure.
    package var isOpen: Bool {
        if case .open = ending { true } else { false }
    }

    package var isOverdue: Bool {
        if let deadline { deadline <= loop.now } else { false }
    }
}

/// Who waits for the peer, and for how long.
extension Stream {
    /// Suspends until there may be something to read. What to wait for is looked at once more where nothing suspends any longer:
    /// a task that prefers its loop can be set aside on its way here, and the edge would be missed.
    func readable() async throws(StreamError) {
        let result: Result<Void, StreamError> = unsafe await withUnsafeContinuation { continuation in
            guard case .open = ending, !mayRead else { return unsafe continuation.resume(returning: .success(())) }
            unsafe reader = unsafe continuation
            armAlarm()
        }
        try result.get()
    }

    /// Suspends until something has been sent, unless `isDone` already.
    func writable(_ isDone: () -> Bool) async throws(StreamError) {
        let result: Result<Void, StreamError> = unsafe await withUnsafeContinuation { continuation in
            guard case .open = ending, !isDone() else { return unsafe continuation.resume(returning: .success(())) }
            unsafe writer = unsafe continuation
            armAlarm()
        }
        try result.get()
    }

    func resume(_ result: Result<Void, StreamError>) {
        resumeReader(result)
        if let waiting = unsafe writer {
            unsafe writer = nil
            unsafe waiting.resume(returning: result)
        }
    }

    func resumeReader(_ result: Result<Void, StreamError>) {
        guard let waiting = unsafe reader else { return }
        unsafe reader = nil
        unsafe waiting.resume(returning: result)
    }

    /// Wakes whoever awaits `drained()`, who looks at the mark himself.
    func resumeWriter() {
        guard let waiting = unsafe writer else { return }
        unsafe writer = nil
        unsafe waiting.resume(returning: .success(()))
    }

    /// One timer a stream: it fires at the earliest deadline it was set for and moves itself when that has changed since.
    func armAlarm() {
        guard let deadline else { return }
        if let alarm, alarm.isPending, alarm.deadline <= deadline { return }
        cancelAlarm()
        // Not weak, which would make every retain of a stream dearer: the alarm is cancelled when the stream is closed.
        alarm = loop.schedule(at: deadline) { self.alarmFired() }
    }

    func cancelAlarm() {
        if let alarm { loop.cancel(alarm) }
    }

    private func alarmFired() {
        guard let deadline else { return }
        if deadline <= loop.now {
            resume(.failure(.timedOut))
            sleeper?.stirred()
        } else {
            armAlarm()
        }
    }
}
