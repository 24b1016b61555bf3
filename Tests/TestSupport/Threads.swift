import Glibc

/// Starts a thread for work that blocks. The pool of threads that tests run on is too small to be blocked.
package func startThread(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(ThreadBody(body))
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, runThread, box.toOpaque())
    precondition(code == 0, "no thread can be started (\(code))")
    pthread_detach(thread)
}

/// Runs `body`, which may block, on a thread of its own. What it expects belongs to the test that called.
package func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await Task(executorPreference: ThreadExecutor()) { try body() }.value
}

/// Gives every job a thread.
final class ThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        startThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    argument.map { Unmanaged<ThreadBody>.fromOpaque($0).takeRetainedValue().run() }
    return nil
}
