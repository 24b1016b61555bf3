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
        } else {
            armAlarm()
        }
    }
}
