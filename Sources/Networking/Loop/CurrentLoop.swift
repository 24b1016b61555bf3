import CConcurrency
import Glibc

/// The loop whose thread this is.
@safe
enum CurrentLoop {
    private static let key = {
        var key = pthread_key_t()
        let made = unsafe pthread_key_create(&key, nil)
        precondition(made == 0, "no thread-local key can be made (\(made))")
        return key
    }()

    static var value: EventLoop? {
        guard let pointer = unsafe pthread_getspecific(key) else { return nil }
        return unsafe Unmanaged<EventLoop>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Called by the loop itself, around its turns.
    static func set(_ loop: EventLoop?) {
        _ = unsafe pthread_setspecific(key, loop.map { unsafe UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
    }
}

extension EventLoop {
    /// From now on a job that belongs to no executor stays on the loop that made it ready, for the whole process.
    ///
    /// A continuation is such a job: the runtime resumes its task on the global executor, which is a pool of threads, and from
    /// there it would pass to its actor's loop. That costs two thread switches, and the pool ends the process when there are no
    /// descriptors left.
    package static func keepGlobalJobs() {
        unsafe kidoban_set_job_taker(takeJob)
    }
}

/// Whether the job could be kept on this thread. A free function, because C calls it.
private func takeJob(_ job: UnsafeMutableRawPointer?) -> Bool {
    guard let job = unsafe job, let loop = CurrentLoop.value else { return false }
    // What `UnownedJob` holds is this pointer.
    loop.enqueueHere(unsafe unsafeBitCast(job, to: UnownedJob.self))
    return true
}
