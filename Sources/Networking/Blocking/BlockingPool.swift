import CEpoll
import Dispatch
import Glibc
import Synchronization

/// Threads for work that blocks or computes for long: password hashes, name look-ups, libpq's connecting.
///
/// The queue is bounded. When it is full the answer is `Overloaded` at once, never a longer wait.
package final class BlockingPool: Sendable {
    /// The queue is full.
    package struct Overloaded: Error, Equatable {
        package init() {}
    }

    private struct State {
        var jobs = JobQueue()
        var isStopped = false
    }

    /// First in, first out. A job that has been taken is not kept, since it may hold a password.
    private struct JobQueue {
        private var arriving: [@Sendable () -> Void] = []
        /// In reverse.
        private var leaving: [@Sendable () -> Void] = []

        var count: Int { arriving.count + leaving.count }

        mutating func append(_ job: @escaping @Sendable () -> Void) {
            arriving.append(job)
        }

        mutating func popFirst() -> (@Sendable () -> Void)? {
            if leaving.isEmpty {
                leaving = arriving.reversed()
                arriving.removeAll(keepingCapacity: true)
            }
            return leaving.popLast()
        }
    }

    private let label: String
    private let queueLimit: Int
    private let state = Mutex(State())
    private let available = DispatchSemaphore(value: 0)
    private let onIdle: (@Sendable () -> Void)?

    /// - Parameters:
    ///   - label: the name of its threads, at most 15 bytes.
    ///   - threads: how many run jobs; all are started now.
    ///   - queueLimit: how many jobs may wait.
    ///   - niceness: 0 … 19; higher gives way to the loops.
    ///   - onIdle: called on a thread of the pool that has had nothing to do for a second, once each time.
    package init(
        label: String, threads: Int, queueLimit: Int, niceness: Int32 = 0, onIdle: (@Sendable () -> Void)? = nil
    ) {
        self.label = label
        self.queueLimit = queueLimit
        self.onIdle = onIdle
        for _ in 0..<max(1, threads) {
            Self.startThread { [self] in work(niceness: niceness) }
        }
    }

    /// Jobs that wait for a thread.
    package var waitingCount: Int { state.withLock { $0.jobs.count } }

    /// Runs `body` on a thread of the pool and resumes the caller on its own loop.
    /// - Throws: `Overloaded` when the queue is full or the pool has stopped.
    package func run<T: Sendable>(_ body: @escaping @Sendable () -> T) async throws(Overloaded) -> T {
        let result: Result<T, Overloaded> = unsafe await withUnsafeContinuation { continuation in
            let loop = CurrentLoop.value
            let accepted = submit {
                let value = body()
                guard let loop else { return unsafe continuation.resume(returning: .success(value)) }
                loop.call { unsafe continuation.resume(returning: .success(value)) }
            }
            if !accepted { unsafe continuation.resume(returning: .failure(Overloaded())) }
        }
        return try result.get()
    }

    /// Lets the jobs that wait run, then ends the threads.
    package func stop() {
        state.withLock { $0.isStopped = true }
        available.signal()
    }

    private func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        let accepted = state.withLock { state in
            guard !state.isStopped, state.jobs.count < queueLimit else { return false }
            state.jobs.append(job)
            return true
        }
        if accepted { available.signal() }
        return accepted
    }

    private enum Next {
        case job(@Sendable () -> Void)
        case nothing
        case stop
    }

    private func work(niceness: Int32) {
        _ = unsafe pthread_setname_np(pthread_self(), label)
        // Linux keeps a niceness for each thread.
        if niceness > 0 { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(gettid()), niceness) }
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
            case .job(let job):
                job()
                isRested = false
            case .nothing: break
            case .stop:
                // Pass it on to the next thread.
                available.signal()
                return
            }
        }
    }

    private func next() -> Next {
        state.withLock { state in
            if let job = state.jobs.popFirst() { return .job(job) }
            return state.isStopped ? .stop : .nothing
        }
    }

    private static func startThread(_ body: @escaping @Sendable () -> Void) {
        let box = unsafe Unmanaged.passRetained(ThreadBody(run: body))
        var thread = pthread_t()
        let started = unsafe pthread_create(&thread, nil, runThread, box.toOpaque())
        guard started == 0 else {
            unsafe box.release()
            preconditionFailure("no thread can be started (\(started))")
        }
        pthread_detach(thread)
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
