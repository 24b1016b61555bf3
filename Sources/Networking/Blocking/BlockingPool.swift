import CEpoll
import Dispatch
import Glibc
import Synchronization

/// Threads for work that blocks or computes for long: password hashes, name look-ups, libpq's connecting.
///
/// The queue is bounded, and shared fairly (`FairQueue`). Who has no room in it is answered `Overloaded` at once, never after a longer wait.
package final class BlockingPool: Sendable {
    /// The queue is full.
    package struct Overloaded: Error, Equatable {
        package init() {}
    }

    /// A job that has been taken is not kept, since it may hold a password.
    private struct Job: Sendable {
        let run: @Sendable () -> Void
        /// Called instead when it has to make room for another's.
        let refuse: @Sendable () -> Void
    }

    private struct State {
        var jobs: FairQueue<Job>
        /// Threads that there are, and those of them that run a job.
        var threads = 0
        var busy = 0
        /// Threads that have found nothing but jobs which have to wait for another to end.
        var owed = 0
        var isStopped = false
    }

    private let label: String
    private let threadLimit: Int
    private let niceness: Int32
    private let state: Mutex<State>
    private let available = DispatchSemaphore(value: 0)
    private let onIdle: (@Sendable () -> Void)?

    /// - Parameters:
    ///   - label: the name of its threads, at most 15 bytes.
    ///   - threads: how many run jobs at most; each is started when it is first needed.
    ///   - bounds: how many jobs may wait.
    ///   - reserve: when a thread is left for others.
    ///   - niceness: 0 … 19; higher gives way to the loops.
    ///   - onIdle: called on a thread of the pool that has had nothing to do for a second, once each time.
    package init(
        label: String, threads: Int, bounds: JobOwner.Bounds, reserve: JobOwner.Reserve = .whileOthersCome, niceness: Int32 = 0,
        onIdle: (@Sendable () -> Void)? = nil
    ) {
        self.label = label
        threadLimit = max(1, threads)
        self.niceness = niceness
        state = Mutex(State(jobs: FairQueue(bounds, threads: threadLimit, reserve: reserve)))
        self.onIdle = onIdle
    }

    /// One in which at most so many jobs wait, whoever they are for.
    package convenience init(
        label: String, threads: Int, queueLimit: Int, reserve: JobOwner.Reserve = .whileOthersCome, niceness: Int32 = 0,
        onIdle: (@Sendable () -> Void)? = nil
    ) {
        self.init(
            label: label, threads: threads, bounds: JobOwner.Bounds(all: queueLimit), reserve: reserve, niceness: niceness,
            onIdle: onIdle)
    }

    /// Jobs that wait for a thread.
    package var waitingCount: Int { state.withLock { $0.jobs.count } }

    /// Runs `body` on a thread of the pool and resumes the caller on its own loop.
    /// - Parameter owner: who takes turns with others.
    /// - Throws: `Overloaded` when there is no room, or it was needed for somebody who has less of it, and when the pool has stopped.
    package func run<T: Sendable>(
        for owner: JobOwner = .nobody, _ body: @escaping @Sendable () -> T
    ) async throws(Overloaded) -> T {
        let result: Result<T, Overloaded> = unsafe await withUnsafeContinuation { continuation in
            let loop = CurrentLoop.value
            let answer: @Sendable (Result<T, Overloaded>) -> Void = { result in
                guard let loop else { return unsafe continuation.resume(returning: result) }
                loop.call { unsafe continuation.resume(returning: result) }
            }
            submit(Job(run: { answer(.success(body())) }, refuse: { answer(.failure(Overloaded())) }), for: owner)
        }
        return try result.get()
    }

    /// Runs `body` on a thread of the pool, and nobody waits for it.
    /// - Parameter refuse: called instead where `run` would throw.
    package func start(_ body: @escaping @Sendable () -> Void, orElse refuse: @escaping @Sendable () -> Void) {
        submit(Job(run: body, refuse: refuse), for: .nobody)
    }

    /// Lets the jobs that wait run, then ends the threads.
    package func stop() {
        state.withLock { $0.isStopped = true }
        available.signal()
    }

    private func submit(_ job: Job, for owner: JobOwner) {
        let (admission, needsThread) = state.withLock { state -> (FairQueue<Job>.Admission, Bool) in
            guard !state.isStopped else { return (.refused, false) }
            let admission = state.jobs.add(job, for: owner, at: .now())
            guard state.threads < min(threadLimit, state.jobs.count + state.busy) else { return (admission, false) }
            state.threads += 1
            return (admission, true)
        }
        switch admission {
        case .waiting(let others):
            available.signal()
            for other in others { other.refuse() }
        case .refused: job.refuse()
        }
        if needsThread { startThread() }
    }

    private func startThread() {
        guard !Self.startThread({ [self] in work() }) else { return }
        // The others do its work. If there are none, nobody would.
        let orphans = state.withLock { state -> [Job] in
            state.threads -= 1
            guard state.threads == 0 else { return [] }
            var orphans: [Job] = []
            while let next = state.jobs.next(at: .now()) {
                state.jobs.ended(next.network)
                orphans.append(next.job)
            }
            return orphans
        }
        for orphan in orphans { orphan.refuse() }
    }

    private enum Next {
        case job(Job, network: String)
        case nothing
        case stop
    }

    private func work() {
        _ = unsafe pthread_setname_np(pthread_self(), label)
        if niceness > 0 { giveWay() }
        var isRested = true
        while true {
            if isRested || onIdle == nil {
                available.wait()
            } else if available.wait(timeout: .now() + .seconds(1)) == .timedOut {
                onIdle?()
                isRested = true
                continue
            }
            switch next() {
            case .job(let job, let network):
                job.run()
                ended(network)
                isRested = false
            case .nothing: break
            case .stop:
                // Pass it on to the next thread.
                available.signal()
                return
            }
        }
    }

    /// Linux keeps a niceness for each thread. A long slice is asked for as well, since a thread is otherwise left its slice of milliseconds before
    /// a loop that wakes gets the processor, however nice it is. Linux before 6.12 overlooks that.
    private func giveWay() {
        if kidoban_give_way(niceness, 100_000_000) == 0 { return }
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(gettid()), niceness)
    }

    private func next() -> Next {
        state.withLock { state in
            if let next = state.jobs.next(at: .now()) {
                state.busy += 1
                return .job(next.job, network: next.network)
            }
            if state.jobs.count > 0 {
                state.owed += 1
                return .nothing
            }
            return state.isStopped ? .stop : .nothing
        }
    }

    /// A job has run: those that had to wait for that are looked at again, one more than has ended, for by now more may run.
    private func ended(_ network: String) {
        let again = state.withLock { state in
            state.busy -= 1
            state.jobs.ended(network)
            let again = min(state.owed, 2)
            state.owed -= again
            return again
        }
        for _ in 0..<again { available.signal() }
    }

    /// - Returns: false when the system has no room for one.
    private static func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        let box = unsafe Unmanaged.passRetained(ThreadBody(run: body))
        var thread = pthread_t()
        let started = unsafe pthread_create(&thread, nil, runThread, box.toOpaque())
        guard started == 0 else {
            unsafe box.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

/// A free function, because a closure written in an isolated context would carry its isolation to the new thread.
private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument = unsafe argument {
        unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
    }
    return nil
}
