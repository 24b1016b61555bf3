import CEpoll
import Glibc

/// A descriptor's place in a loop's epoll set.
package struct Registration: Hashable, Sendable {
    fileprivate let index: UInt32
    /// Guards against an event of a descriptor that left in the same batch.
    fileprivate let generation: UInt32
    let descriptor: Int32

    fileprivate var token: UInt64 { UInt64(generation) << 32 | UInt64(index) }
}

/// Makes the wait of an epoll set return; from any thread. Apart from `Poller`, whose state belongs to one thread.
struct Waker: Sendable {
    fileprivate let descriptor: Int32

    func wake() {
        _ = eventfd_write(descriptor, 1)
    }
}

/// An epoll set, the handlers behind its descriptors and the eventfd that wakes it. Confined to its loop.
@safe
struct Poller: ~Copyable {
    /// How a descriptor is watched.
    enum Trigger {
        /// Read and write edges: for connections, which act until a call would block.
        case edge
        /// While there is something to read: for listeners, which take a bounded number a turn.
        case level
    }

    private struct Slot {
        var generation: UInt32 = 0
        var handler: (any ReadinessHandler)?
    }

    private static let wakeToken = UInt64.max
    /// Of a turn. Who is handled last waits for all others, and each may have sent tens of KiB.
    private static let batch = 64

    let descriptor: Int32
    /// Valid for as long as the poller is.
    let waker: Waker
    private let events: UnsafeMutablePointer<epoll_event>
    private var slots: ContiguousArray<Slot> = []
    private var free: [UInt32] = []
    /// Whether another thread has woken the loop since this was last set to false.
    var wasWoken = false

    init() throws(SystemError) {
        let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw .last("epoll_create1") }
        let wakeDescriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard wakeDescriptor >= 0 else {
            let error = SystemError.last("eventfd")
            close(descriptor)
            throw error
        }
        var event = unsafe epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: .init(u64: Self.wakeToken))
        guard unsafe epoll_ctl(descriptor, EPOLL_CTL_ADD, wakeDescriptor, &event) == 0 else {
            // A loop that nobody can wake would lose what other threads give it to do.
            let error = SystemError.last("epoll_ctl of the eventfd")
            close(descriptor)
            close(wakeDescriptor)
            throw error
        }
        self.descriptor = descriptor
        waker = Waker(descriptor: wakeDescriptor)
        unsafe events = .allocate(capacity: Self.batch)
    }

    deinit {
        close(descriptor)
        close(waker.descriptor)
        unsafe events.deallocate()
    }

    mutating func add(
        _ descriptor: Int32, _ trigger: Trigger, handler: any ReadinessHandler
    ) throws(SystemError) -> Registration {
        if free.isEmpty {
            free.append(UInt32(slots.count))
            slots.append(Slot())
        }
        let index = free.removeLast()
        slots[Int(index)].handler = handler
        let registration = Registration(
            index: index, generation: slots[Int(index)].generation, descriptor: descriptor)
        var event = unsafe epoll_event(events: Self.interest(trigger), data: .init(u64: registration.token))
        guard unsafe epoll_ctl(self.descriptor, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
            let error = SystemError.last("epoll_ctl")
            forget(registration)
            throw error
        }
        return registration
    }

    mutating func remove(_ registration: Registration) {
        guard isCurrent(registration) else { return }
        epoll_ctl(descriptor, EPOLL_CTL_DEL, registration.descriptor, nil)
        forget(registration)
    }

    /// Stops or resumes the events of a level-triggered descriptor.
    func setPaused(_ paused: Bool, _ registration: Registration) {
        guard isCurrent(registration) else { return }
        var event = unsafe epoll_event(
            events: paused ? 0 : Self.interest(.level), data: .init(u64: registration.token))
        unsafe epoll_ctl(descriptor, EPOLL_CTL_MOD, registration.descriptor, &event)
    }

    /// Waits up to `milliseconds` and returns how many events `event(_:)` holds.
    func wait(milliseconds: Int32) -> Int {
        Int(max(0, unsafe epoll_wait(descriptor, events, Int32(Self.batch), milliseconds)))
    }

    /// Waits until one descriptor has something to read, for so many nanoseconds at most; false when it has not by then.
    static func awaitInput(on descriptor: Int32, nanoseconds: Int) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let limit = timespec(tv_sec: 0, tv_nsec: nanoseconds)
        return unsafe withUnsafePointer(to: limit) { unsafe ppoll(&entry, 1, $0, nil) } > 0
    }

    /// The handler of event `index` of the last wait; nil for a wake-up and for a descriptor that has left since.
    mutating func event(_ index: Int) -> (handler: any ReadinessHandler, readiness: Readiness)? {
        let event = unsafe events[index]
        let token = unsafe event.data.u64
        guard token != Self.wakeToken else {
            drainWake()
            wasWoken = true
            return nil
        }
        let slot = slots[Int(UInt32(truncatingIfNeeded: token))]
        guard slot.generation == UInt32(truncatingIfNeeded: token >> 32), let handler = slot.handler else { return nil }
        return unsafe (handler, Readiness(rawValue: event.events))
    }

    private func drainWake() {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(waker.descriptor, &count)
    }

    private func isCurrent(_ registration: Registration) -> Bool {
        slots[Int(registration.index)].generation == registration.generation
    }

    private mutating func forget(_ registration: Registration) {
        slots[Int(registration.index)].handler = nil
        slots[Int(registration.index)].generation &+= 1
        free.append(registration.index)
    }

    private static func interest(_ trigger: Trigger) -> UInt32 {
        switch trigger {
        case .edge: EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        case .level: EPOLLIN.rawValue
        }
    }
}
