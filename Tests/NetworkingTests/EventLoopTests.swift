import Glibc
import TestSupport
import Testing

@testable import Networking

@Suite("EventLoop")
struct EventLoopTests {
    @Test func `an actor pinned to a loop runs on its thread, and two of them await each other without leaving it`() async throws
    {
        let loop = try EventLoop()
        defer { loop.stop() }
        let one = Pinned(loop)
        let other = Pinned(loop)
        let threads = await one.run { _ in
            let before = UInt(pthread_self())
            let within = await other.run { _ in UInt(pthread_self()) }
            return (before, within, UInt(pthread_self()))
        }
        #expect(threads.0 == threads.1)
        #expect(threads.0 == threads.2)
    }

    @Test func `a task that prefers a loop stays on it, and so do its children`() async throws {
        let loop = try EventLoop()
        defer { loop.stop() }
        let inside = await Task(executorPreference: loop) {
            async let child = loop.isCurrent
            return (loop.isCurrent, await child)
        }.value
        #expect(inside == (true, true))
        #expect(!loop.isCurrent)
    }

    @Test func `timers fire in the order of their deadlines, cancelled ones never`() async throws {
        let order = try await onLoop { pinned in
            let order = Locked<[Int]>([])
            let loop = pinned.loop
            for (index, delay) in [30, 10, 20, 5].enumerated() {
                let timer = loop.schedule(after: .milliseconds(delay)) { order.withLock { $0.append(index) } }
                if delay == 5 { loop.cancel(timer) }
            }
            await loop.sleep(for: .milliseconds(40))
            return order.withLock { $0 }
        }
        #expect(order == [1, 2, 0])
    }

    @Test func `an idle loop is woken by its timer`() async throws {
        // Far longer than the hot tail, so that Dispatch's timer has to do it.
        try await onLoop { pinned in
            let start = pinned.loop.now
            await pinned.loop.sleep(for: .milliseconds(50))
            #expect(Instant.now().since(start) >= .milliseconds(50))
        }
    }

    @Test func `an idle loop is woken for every timer, in whatever order they are set`() async throws {
        try await onLoop { pinned in
            let loop = pinned.loop
            let start = pinned.loop.now
            let fired = Locked<[Int]>([])
            for delay in [60, 20, 100, 40, 80] {
                loop.schedule(after: .milliseconds(delay)) { fired.withLock { $0.append(delay) } }
            }
            // The earliest is taken away while Dispatch waits for it.
            let first = loop.schedule(after: .milliseconds(10)) { fired.withLock { $0.append(10) } }
            loop.schedule(after: .milliseconds(5)) { loop.cancel(first) }
            await loop.sleep(for: .milliseconds(110))
            #expect(fired.value == [20, 40, 60, 80, 100])
            #expect(Instant.now().since(start) >= .milliseconds(110))
        }
    }

    @Test func `no wake-up is lost, whether the loop is idle, about to be, or busy`() async throws {
        let loop = try EventLoop()
        defer { loop.stop() }
        let pinned = Pinned(loop)
        await withTaskGroup(of: Void.self) { group in
            for seed in 0..<4 {
                group.addTask {
                    for round in 0..<1000 {
                        await pinned.run { _ in }
                        // Now and then longer than the hot tail.
                        if (round + seed * 7).isMultiple(of: 100) { try? await Task.sleep(for: .milliseconds(3)) }
                    }
                }
            }
        }
    }

    @Test func `a loop that has been stopped lets its source go`() async throws {
        let loop = try EventLoop()
        await Pinned(loop).run { _ in }
        loop.stop()
        loop.stop()
    }

    @Test func `jobs from many threads all arrive`() async throws {
        let loop = try EventLoop()
        defer { loop.stop() }
        let pinned = Pinned(loop)
        let count = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1000 {
                group.addTask { await pinned.run { _ in count.withLock { $0 += 1 } } }
            }
        }
        #expect(count.withLock { $0 } == 1000)
    }

    @Test func `a job that queues itself for ever starves neither timers nor sockets`() async throws {
        try await onLoop { pinned in
            let loop = pinned.loop
            let accepting = try Accepting(loop)
            let stop = Locked(false)
            loop.start {
                while !stop.withLock({ $0 }) { await Task.yield() }
            }
            await loop.sleep(for: .milliseconds(5))
            let client = try await Networking.Stream.connect(to: accepting.listener.address, loop: loop, deadline: loop.soon())
            let server = await accepting.accepted(1, on: loop)[0]
            stop.withLock { $0 = true }
            client.close()
            server.close()
            accepting.listener.close()
        }
    }

    @Test(arguments: [1, 2, 7, 100, 1000])
    func `the heap gives timers back in order, whatever was taken out of the middle`(count: Int) {
        var heap = TimerHeap()
        var random = SystemRandomNumberGenerator()
        var kept: [UInt64] = []
        var timers: [LoopTimer] = []
        for _ in 0..<count {
            let timer = LoopTimer(deadline: Instant(nanoseconds: .random(in: 0...1000, using: &random))) {}
            timers.append(timer)
            heap.insert(timer)
        }
        for (index, timer) in timers.enumerated() {
            if index % 3 == 0 { heap.remove(timer) } else { kept.append(timer.deadline.nanoseconds) }
        }
        var taken: [UInt64] = []
        while let timer = heap.popDue(at: Instant(nanoseconds: 2000)) { taken.append(timer.deadline.nanoseconds) }
        #expect(taken == kept.sorted())
        #expect(heap.count == 0)
    }
}
