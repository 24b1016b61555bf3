/// Work that a loop does at an instant. Confined to its loop.
package final class LoopTimer: @unchecked Sendable {  // every member is touched on the loop that made it, only
    let deadline: Instant
    /// Its place in the heap; nil once it has fired or been cancelled.
    fileprivate var position: Int?
    private let body: @Sendable () -> Void

    init(deadline: Instant, body: @escaping @Sendable () -> Void) {
        self.deadline = deadline
        self.body = body
    }

    /// Whether it has neither fired nor been cancelled.
    package var isPending: Bool { position != nil }

    func fire() {
        body()
    }
}

/// The timers of a loop: a binary heap, the earliest on top.
struct TimerHeap {
    private var timers: ContiguousArray<LoopTimer> = []

    /// The deadline of the earliest timer.
    var nextDeadline: Instant? { timers.first?.deadline }

    var count: Int { timers.count }

    mutating func insert(_ timer: LoopTimer) {
        timers.append(timer)
        timer.position = timers.count - 1
        siftUp(timers.count - 1)
    }

    /// Takes a timer out; one that has left already is no error.
    mutating func remove(_ timer: LoopTimer) {
        guard let position = timer.position else { return }
        let last = timers.count - 1
        exchange(position, last)
        timers.removeLast()
        timer.position = nil
        guard position < last else { return }
        siftUp(position)
        siftDown(position)
    }

    /// Takes the earliest timer that is due at `now`.
    mutating func popDue(at now: Instant) -> LoopTimer? {
        guard let first = timers.first, first.deadline <= now else { return nil }
        remove(first)
        return first
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard timers[child].deadline < timers[parent].deadline else { return }
            exchange(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var parent = start
        while true {
            let left = 2 * parent + 1
            guard left < timers.count else { return }
            let right = left + 1
            let child = right < timers.count && timers[right].deadline < timers[left].deadline ? right : left
            guard timers[child].deadline < timers[parent].deadline else { return }
            exchange(parent, child)
            parent = child
        }
    }

    private mutating func exchange(_ left: Int, _ right: Int) {
        timers.swapAt(left, right)
        timers[left].position = left
        timers[right].position = right
    }
}
