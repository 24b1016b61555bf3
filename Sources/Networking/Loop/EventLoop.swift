// Dispatch's sources are not `Sendable` here (libdispatch issue 779); the loop owns its two and touches them on its queue only.
@unsafe @preconcurrency import Dispatch
import Glibc
import Synchronization

/// One core's worth of work: a serial queue that owns one Dispatch source, on an epoll set with every socket of the loop.
///
/// When the source fires, the handler turns: take what is ready, run the jobs that it made ready, send the writes of the whole
/// batch, and again until nothing is left. Before it gives its thread back it waits in `epoll_wait` for a moment (the hot
/// tail), so that under traffic Dispatch is not in the path at all. It is a serial executor and a task executor: an actor
/// pinned to it and a task that prefers it run on its thread, and await each other without a hop.
// @unchecked: `poller`, `timers`, `jobs`, `dirty` and `now` are touched only while this thread owns the loop, which `isCurrent`
// asserts; `inbox` is behind a mutex, `owner` is atomic and `waker` is constant.
@safe
package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    private static let hotTail: Duration = .milliseconds(2)
    /// Bytes that one read takes at most.
    static let readSize = 16 * 1024
    /// How many jobs may run before sockets and timers are looked at again.
    private static let jobsPerTurn = 4096

    /// Which of the group's loops it is, from 0.
    package let index: Int
    /// The monotonic time at the start of this turn.
    package private(set) var now = Instant.now()

    private let queue: DispatchQueue
    private let owner = Atomic<UInt>(0)
    private let inbox = Mutex(Inbox())
    private let waker: Waker
    /// Where the loop's streams read into, one after the other: what has come is taken from here at once.
    let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: EventLoop.readSize, alignment: 16)
    var poller: Poller
    var timers = TimerHeap()
    private var jobs: ContiguousArray<UnownedJob> = []
    var dirty: ContiguousArray<any Flushable> = []
    private var source: (any DispatchSourceRead)?
    private var alarm: (any DispatchSourceTimer)?
    private var alarmDeadline: Instant?
    /// What a server that may be near was asked in this turn.
    var question: Question?
    private var answerWait = AnswerWait()

    /// Something that a server was asked which may answer at once.
    struct Question {
        let descriptor: Int32
        /// Whether nothing else was awaited of it.
        let isAlone: Bool
    }

    /// Jobs from other threads.
    private struct Inbox {
        var jobs: [UnownedJob] = []
        var calls: [@Sendable () -> Void] = []
    }

    /// - Throws: `SystemError` when the epoll set cannot be made.
    package init(index: Int = 0) throws(SystemError) {
        self.index = index
        queue = DispatchQueue(label: "kidoban.loop.\(index)")
        poller = try Poller()
        waker = poller.waker
        let source = DispatchSource.makeReadSource(fileDescriptor: poller.descriptor, queue: queue)
        let alarm = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler { @Sendable in self.run() }
        alarm.setEventHandler { @Sendable in
            // It has fired, so it must be set again even for a timer that is not quite due yet.
            self.alarmDeadline = nil
            self.run()
        }
        source.setCancelHandler { @Sendable in self.released() }
        self.source = source
        self.alarm = alarm
        alarm.schedule(deadline: .distantFuture)
        alarm.activate()
        source.activate()
    }

    deinit {
        unsafe readBuffer.deallocate()
    }

    /// Whether the caller runs on this loop.
    package var isCurrent: Bool {
        owner.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Ends the loop: nothing that is still registered is called again. The descriptors close once Dispatch has let go.
    package func stop() {
        queue.async { @Sendable in
            self.alarm?.cancel()
            self.source?.cancel()
        }
    }

    private func released() {
        source = nil
        alarm = nil
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard !isCurrent else { return enqueueHere(job) }
        post { $0.jobs.append(job) }
    }

    /// Enqueues a job on the loop's own thread.
    func enqueueHere(_ job: UnownedJob) {
        jobs.append(job)
    }

    /// Has `body` called on the loop soon; from any thread.
    package func call(_ body: @escaping @Sendable () -> Void) {
        post { $0.calls.append(body) }
    }

    private func post(_ enter: (inout Inbox) -> Void) {
        let first = inbox.withLock { inbox in
            enter(&inbox)
            return inbox.jobs.count + inbox.calls.count == 1
        }
        if first { waker.wake() }
    }

    package func checkIsolated() {
        precondition(isCurrent, "not on the loop")
    }

    package func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    private func run() {
        owner.store(UInt(pthread_self()), ordering: .relaxed)
        CurrentLoop.set(self)
        repeat {
            let count = wait()
            now = .now()
            let worked = turn(events: count)
            if !worked { break }
        } while true
        setAlarm()
        CurrentLoop.set(nil)
        owner.store(0, ordering: .relaxed)
    }

    /// Waits for events, and returns how many there are.
    private func wait() -> Int {
        guard let question, jobs.isEmpty else { return poller.wait(milliseconds: waitTime()) }
        self.question = nil
        guard answerWait.isWorthwhile(alone: question.isAlone) else { return poller.wait(milliseconds: waitTime()) }
        let start = Instant.now()
        if Poller.awaitInput(on: question.descriptor, nanoseconds: Int(AnswerWait.window)) {
            if question.isAlone { answerWait.answered(after: Instant.now().nanoseconds(since: start)) }
        } else {
            answerWait.missed()
        }
        let count = poller.wait(milliseconds: 0)
        return count > 0 ? count : poller.wait(milliseconds: waitTime())
    }

    /// Handles a batch of events, due timers and the jobs of both; false when there was nothing to do.
    private func turn(events count: Int) -> Bool {
        for index in 0..<count {
            if let (handler, readiness) = poller.event(index) { handler.ready(readiness) }
        }
        var worked = count > 0
        while let timer = timers.popDue(at: now) {
            timer.fire()
            worked = true
        }
        takeInbox()
        worked = runJobs() || worked
        flush()
        return worked
    }

    /// Nothing while there is work, else the rest of the hot tail.
    private func waitTime() -> Int32 {
        guard jobs.isEmpty else { return 0 }
        guard let next = timers.nextDeadline else { return Self.tailMilliseconds }
        let wait = next.since(now).wholeNanoseconds
        return min(Self.tailMilliseconds, Int32((min(wait, 1_000_000_000) + 999_999) / 1_000_000))
    }

    private static let tailMilliseconds = Int32(hotTail.wholeNanoseconds / 1_000_000)

    private func takeInbox() {
        guard poller.wasWoken else { return }
        poller.wasWoken = false
        let calls = inbox.withLock { inbox in
            defer { inbox.calls = [] }
            jobs.append(contentsOf: inbox.jobs)
            inbox.jobs.removeAll(keepingCapacity: true)
            return inbox.calls
        }
        for call in calls { call() }
    }

    private func runJobs() -> Bool {
        guard !jobs.isEmpty else { return false }
        let serial = unsafe asUnownedSerialExecutor()
        var done = 0
        while done < jobs.count, done < Self.jobsPerTurn {
            let job = jobs[done]
            done += 1
            // As a serial executor only: a task without an executor preference, as the connections' are, then passes from actor to
            // actor of this loop without coming back to the queue each time.
            unsafe job.runSynchronously(on: serial)
        }
        if done == jobs.count {
            jobs.removeAll(keepingCapacity: true)
        } else {
            jobs.removeFirst(done)
        }
        return true
    }

    private func flush() {
        var index = 0
        while index < dirty.count {
            dirty[index].flush()
            index += 1
        }
        dirty.removeAll(keepingCapacity: true)
    }

    /// Has Dispatch wake the idle loop for its next timer.
    private func setAlarm() {
        let next = timers.nextDeadline
        guard next != alarmDeadline else { return }
        alarmDeadline = next
        guard let next else {
            alarm?.schedule(deadline: .distantFuture)
            return
        }
        let wait = next.since(.now()).wholeNanoseconds
        alarm?.schedule(deadline: .now() + .nanoseconds(Int(wait)), leeway: .milliseconds(1))
    }
}
