import Testing

@testable import Networking

@Suite struct TimerHeapTests {
    private static func timer(_ time: Int) -> LoopTimer {
        LoopTimer(deadline: Instant(nanoseconds: UInt64(time))) {}
    }

    /// The heap beside a list that is sorted each time, under the same changes.
    @Test(arguments: 0..<50)
    func `whatever comes and goes, the earliest is on top and each leaves once`(seed: Int) {
        var random = SeededRandom(seed)
        var heap = TimerHeap()
        var model: [LoopTimer] = []
        for _ in 0..<500 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1, 2:
                let timer = Self.timer(Int.random(in: 0..<100, using: &random))
                heap.insert(timer)
                model.append(timer)
                #expect(timer.isPending)
            case 3:
                guard let timer = model.randomElement(using: &random) else { break }
                heap.remove(timer)
                model.removeAll { $0 === timer }
                #expect(!timer.isPending)
            default:
                let now = Instant(nanoseconds: UInt64(Int.random(in: 0..<100, using: &random)))
                let due = heap.popDue(at: now)
                let earliest = model.map(\.deadline).min()
                #expect(due?.deadline == earliest.flatMap { $0 <= now ? $0 : nil })
                model.removeAll { $0 === due }
            }
            #expect(heap.count == model.count)
            #expect(heap.nextDeadline == model.map(\.deadline).min())
        }
    }

    @Test func `a timer that has left may be taken out again, and nothing happens`() {
        var heap = TimerHeap()
        let first = Self.timer(1)
        let second = Self.timer(2)
        heap.insert(first)
        heap.insert(second)
        #expect(heap.popDue(at: Instant(nanoseconds: 1)) === first)
        heap.remove(first)
        #expect(heap.count == 1 && heap.nextDeadline == second.deadline)
        heap.remove(second)
        heap.remove(second)
        #expect(heap.count == 0 && heap.nextDeadline == nil)
    }

    @Test func `nothing is due before its time`() {
        var heap = TimerHeap()
        heap.insert(Self.timer(10))
        #expect(heap.popDue(at: Instant(nanoseconds: 9)) == nil)
        #expect(heap.popDue(at: Instant(nanoseconds: 10)) != nil)
    }
}

/// A generator that repeats itself from a seed (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: Int) {
        state = UInt64(seed)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
